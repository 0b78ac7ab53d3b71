import type { Tx } from "@querybell/db";
import {
  AppError,
  type AutomationAgent,
  type AutomationSubscriber,
  type Caller,
  type ChosenDestination,
  type CreateAutomation,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { findModel } from "../models/find-model.ts";
import { referenceNotFound } from "../references/get-reference.ts";
import { prepareRun, readStatement, readValues } from "../runs/prepare-run.ts";

/** Throws if the agent is `model` and the organization has none that it may use. */
export async function checkAgent(deps: Deps, caller: Caller, agent: AutomationAgent): Promise<void> {
  if (agent !== "model") return;
  const model = await findModel(deps, caller);
  if (model.kind === "missing") {
    throw new AppError("model_missing", model.reason, { errors: [{ path: "agent", message: model.reason }] });
  }
}

type Checking = { tx: Tx } & Pick<Deps, "clock" | "db">;
type Scope = Pick<Caller, "organizationId" | "userId">;
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
  { tx, clock, db }: Checking,
  person: Scope,
  { shortId, parameterValues }: Named,
) {
  const { organizationId } = person;
  const reference = await tx.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    include: { query: true },
  });
  if (!reference) throw referenceNotFound();
  if (!reference.query) {
    throw new AppError("conflict", `The reference "${reference.title}" has no query yet. Attach one first.`);
  }
  const statement = await readStatement(tx, reference.query);
  const wanted = { queryId: reference.query.id, shortId, given: parameterValues, person };
  prepareRun(statement, await readValues({ db, tx }, statement, wanted), clock);
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

interface LooksAt {
  references: readonly unknown[];
  dashboardId: string | null;
  agent: AutomationAgent;
}

/** Throws if an automation would look at nothing, or at a dashboard that its agent or the caller cannot see. */
export async function checkDashboard(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  { references, dashboardId, agent }: LooksAt,
): Promise<void> {
  const refuse = (path: string, message: string) =>
    new AppError("invalid_request", message, { errors: [{ path, message }] });
  if (dashboardId === null) {
    if (references.length > 0) return;
    throw refuse("references", "An automation looks at at least one reference or a dashboard.");
  }
  if (agent === "external") {
    throw refuse(
      "dashboardId",
      "An external agent cannot look at a dashboard. Name its charts as references.",
    );
  }
  const where = { id: dashboardId, organizationId, deletedAt: null };
  const found = await tx.dashboard.findFirst({
    where,
    select: { references: { select: { referenceId: true } } },
  });
  const message = "There is no such dashboard in this organization. It may have been deleted.";
  if (!found) throw new AppError("not_found", message, { errors: [{ path: "dashboardId", message }] });
  const ids = found.references.map(({ referenceId }) => referenceId);
  if ((await tx.queryReference.count({ where: { id: { in: ids } } })) < ids.length) {
    throw refuse(
      "dashboardId",
      "You do not see all charts of this dashboard, so you would not see the automation.",
    );
  }
}

/** Builds the rows of an automation's subscribers. Throws for non-members. Locks the members until the transaction ends. */
export async function checkSubscribers(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  subscribers: AutomationSubscriber[],
) {
  if (subscribers.length === 0) return [];
  const ids = subscribers.map(({ userId }) => userId);
  const members = await tx.$queryRaw<{ id: string }[]>`
    SELECT user_id AS id FROM members
    WHERE organization_id = ${organizationId}::uuid AND user_id = ANY(${ids}::uuid[]) FOR KEY SHARE`;
  const known = new Set(members.map(({ id }) => id));
  const errors = ids.flatMap((id, index) => (known.has(id) ? [] : [toFieldError(index)]));
  if (errors.length > 0) {
    throw new AppError(
      "not_found",
      "A subscriber is not a member of this organization. Choose among its members.",
      { errors },
    );
  }
  return subscribers.map((subscriber) => ({ organizationId, ...subscriber }));
}

const toFieldError = (at: number) => ({
  path: `subscribers.${at}.userId`,
  message: "is not a member of this organization",
});

/** The destinations that exist among those an automation names, by their ids. */
export type NamedDestinations = ReadonlyMap<string, { takesAddresses: boolean }>;

/**
 * Locks destinations until the transaction ends, so that none is deleted meanwhile. All that an automation names at once: who
 * locks several locks them in the order of their ids, so that none waits for another.
 */
export async function lockDestinations(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  ids: readonly string[],
): Promise<NamedDestinations> {
  if (ids.length === 0) return new Map();
  const found = await tx.$queryRaw<{ id: string; takesAddresses: boolean }[]>`
    SELECT id, row_recipients IS NOT NULL AS "takesAddresses" FROM webhook_endpoints
    WHERE organization_id = ${organizationId}::uuid AND id = ANY(${ids}::uuid[]) AND state <> 'deleted'
      AND kind NOT IN ('webhook', 'mcp')
    ORDER BY id FOR SHARE`;
  return new Map(found.map(({ id, takesAddresses }) => [id, { takesAddresses }]));
}

/** Builds the rows of an automation's destinations. Throws for ids that are none. */
export function checkDestinations(
  known: NamedDestinations,
  { organizationId }: Pick<Caller, "organizationId">,
  destinations: readonly ChosenDestination[],
) {
  const errors = destinations.flatMap(({ destinationId }, at) =>
    known.has(destinationId)
      ? []
      : [{ path: `destinations.${at}.destinationId`, message: "is not a destination of this organization" }],
  );
  if (errors.length > 0) {
    throw new AppError(
      "not_found",
      "There is no such destination in this organization. It may have been deleted: choose among those that exist.",
      { errors },
    );
  }
  return destinations.map(({ destinationId, events, csv = false }) => ({
    organizationId,
    endpointId: destinationId,
    eventTypes: events,
    attachesCsv: csv,
  }));
}
