import type { Tx } from "@querybell/db";
import { AppError, type Caller, type CreateAutomation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { referenceNotFound } from "../references/lock-reference.ts";
import { readDefinitions } from "../runs/parameter-definitions.ts";
import { prepareRun, readStatement } from "../runs/prepare-run.ts";

/** The rows of an automation's references. Refuses what could not be run: unknown ones, and values that do not fit. */
export async function checkReferences(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId }: Pick<Caller, "organizationId">,
  references: CreateAutomation["references"],
) {
  const rows = [];
  for (const [position, { shortId, parameterValues }] of references.entries()) {
    const reference = await tx.queryReference.findFirst({
      where: { shortId, organizationId, deletedAt: null },
      include: { query: true },
    });
    if (!reference) throw referenceNotFound();
    if (!reference.query) {
      throw new AppError(
        "conflict",
        `The reference "${reference.title}" has no query yet. Attach one first.`,
      );
    }
    const definitions = await readDefinitions(tx, reference.query.id, shortId);
    const statement = await readStatement(tx, reference.query);
    prepareRun(statement, { definitions, given: parameterValues }, clock);
    rows.push({ position, organizationId, referenceId: reference.id, parameterValues });
  }
  return rows;
}
