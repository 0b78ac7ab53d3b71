import type { Prisma, Tx } from "@querybell/db";
import { type Caller, type Draft, newId, type Run, type RunDraft } from "@querybell/domain";
import { noteRowRightsIn } from "../access/row-rights.ts";
import { recordUses } from "../chart-tables/record-uses.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { toRun } from "../runs/get-run.ts";
import { parseForRun, prepareRun, readValues } from "../runs/prepare-run.ts";
import { createRun, triggerOf } from "../runs/start-run.ts";
import { cancelTrials, usedNow } from "./change-draft.ts";
import { lockDraft } from "./get-draft.ts";

/**
 * Runs the text of a draft as a trial, which only its author sees. A query run like others: claimed in turn, in an engine
 * host, with the limits of its database. Its query belongs to the draft and is created as deleted, so that no list shows
 * it. The draft's earlier trials are cancelled, and removed once they have ended.
 */
export async function runDraft(
  deps: Deps,
  caller: Caller,
  { id, revision, parameterValues: given }: RunDraft,
): Promise<Run> {
  return deps.db.transaction(async (tx) => {
    const draft = await lockDraft(tx, caller, { id, revision });
    const database = await getDatabaseRow(tx, caller, draft.analyticalDatabaseConfigId);
    const statement = parseForRun(draft.sql, database);
    const query = await replaceTrial({ ...deps, tx }, caller, draft);
    if (database.holdsUploads) await recordUses(tx, { ...query, sql: draft.sql }, database);
    // The definitions are those of the draft or, if it has none, of the query that it changes.
    const defining = { queryId: draft.queryId ?? query.id, own: draft.parameters ?? undefined };
    const values = await readValues({ ...deps, tx }, statement, { ...defining, given, person: caller });
    await noteRowRightsIn(tx, caller, draft.sql);
    const prepared = prepareRun(statement, values, deps.clock);
    await tx.queryDraft.update({ where: { id }, data: usedNow(deps.clock), select: { id: true } });
    const trial = { query, triggerId: triggerOf(caller), trialBy: caller.userId, ...prepared };
    return toRun(await createRun({ ...deps, tx }, trial));
  });
}

/** Creates the query of a trial, instead of those of earlier trials. */
async function replaceTrial(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  draft: Draft,
): Promise<Prisma.QueryModel> {
  await cancelTrials(deps, draft.id);
  await deps.tx.$executeRaw`
    DELETE FROM queries q WHERE q.draft_id = ${draft.id}::uuid AND NOT EXISTS (
      SELECT FROM query_runs r WHERE r.query_id = q.id AND r.status IN ('pending', 'running'))`;
  return insertTrialQuery(deps, caller, draft);
}

/** The query of a trial, which is created as deleted. */
export async function insertTrialQuery(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { id: draftId, sql, analyticalDatabaseConfigId }: Pick<Draft, "id" | "sql" | "analyticalDatabaseConfigId">,
): Promise<Prisma.QueryModel> {
  const [id, now] = [newId(clock), clock.now()];
  await tx.$executeRaw`
    INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at,
      draft_id, deleted_at, deleted_xid)
    VALUES (${id}::uuid, ${organizationId}::uuid, ${analyticalDatabaseConfigId}::uuid, ${sql}, ${userId}::uuid, ${now},
      ${now}, ${draftId}::uuid, ${now}, pg_current_xact_id())`;
  return tx.query.findUniqueOrThrow({ where: { id } });
}
