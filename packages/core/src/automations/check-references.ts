import type { Tx } from "@querybell/db";
import { AppError, type Caller, type CreateAutomation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { referenceNotFound } from "../references/get-reference.ts";
import { prepareRun, readStatement, readValues } from "../runs/prepare-run.ts";

type Checking = { tx: Tx } & Pick<Deps, "clock">;
type Scope = Pick<Caller, "organizationId">;
type Named = CreateAutomation["references"][number];

/** Builds the rows of an automation's references. Throws for unknown references and for invalid values. */
export async function checkReferences(deps: Checking, scope: Scope, references: Named[]) {
  const rows = [];
  for (const [position, named] of references.entries()) {
    try {
      rows.push({ position, ...(await checkReference(deps, scope, named)) });
    } catch (error) {
      throw error instanceof AppError ? withReferencePath({ position, ...named }, error) : error;
    }
  }
  return rows;
}

async function checkReference(
  { tx, clock }: Checking,
  { organizationId }: Scope,
  { shortId, parameterValues }: Named,
) {
  const reference = await tx.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    include: { query: true },
  });
  if (!reference) throw referenceNotFound();
  if (!reference.query) {
    throw new AppError("conflict", `The reference "${reference.title}" has no query yet. Attach one first.`);
  }
  const statement = await readStatement(tx, reference.query);
  const wanted = { queryId: reference.query.id, shortId, given: parameterValues };
  prepareRun(statement, await readValues(tx, statement, wanted), clock);
  return { organizationId, referenceId: reference.id, parameterValues };
}

/** The same error with the position of the reference in its message and paths. */
function withReferencePath({ position, shortId }: Named & { position: number }, cause: AppError): AppError {
  const at = `references.${position}`;
  const ofValues = cause.errors?.filter(({ path }) => path.startsWith("parameterValues.")) ?? [];
  const errors =
    ofValues.length > 0
      ? ofValues.map(({ path, message }) => ({ path: `${at}.${path}`, message }))
      : [{ path: `${at}.shortId`, message: cause.message }];
  return new AppError(cause.code, `Reference ${position + 1} (${shortId}): ${cause.message}`, {
    errors,
    cause,
  });
}
