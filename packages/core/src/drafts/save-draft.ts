import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Draft,
  newId,
  type Query,
  type RunStatus,
  type SaveDraft,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockFolder } from "../folders/folder-rows.ts";
import { lockRow } from "../lock-row.ts";
import { insertQuery, updateQueryIn } from "../queries/change-query.ts";
import { findLatestRun, getQueryRow, toQuery } from "../queries/get-query.ts";
import { setParametersIn } from "../queries/parameters.ts";
import { endDraft } from "./change-draft.ts";
import { type Author, draftNotFound, lockDraft } from "./get-draft.ts";

/**
 * Saves a draft with its parameters: as a new query, or as a version of the query that it changes. The draft ends in the
 * same transaction.
 * Its trial, if it ran just this text, becomes a run of the query. Saving a draft again answers the query it was saved as.
 */
export async function saveDraft(deps: Deps, caller: Caller, input: SaveDraft): Promise<Query> {
  const row = await deps.db.transaction(async (tx) => {
    // Locked first: of two calls at once, the second finds what the first has saved.
    await lockRow(tx, { table: "query_drafts", key: input, organizationId: caller.organizationId });
    const saved = await findSaved(tx, caller, input.id);
    if (saved) return saved;
    const draft = await lockDraft(tx, caller, input);
    const query = await saveText({ ...deps, tx }, caller, { draft, input });
    if (draft.parameters) {
      const { base, ...inputs } = draft.parameters;
      // The query may have got parameters after a draft without them, or was deleted and is made anew.
      const version = draft.queryId === null ? 0 : (base?.version ?? 0);
      await setParametersIn({ ...deps, tx }, caller, { id: query.id, version, ...inputs });
    }
    await publishTrial({ ...deps, tx }, { draft, query });
    await endDraft({ ...deps, tx }, { id: draft.id, savedQueryId: query.id });
    return query;
  });
  return toQuery(row, await findLatestRun(deps, row.id));
}

async function findSaved(tx: Tx, caller: Author, id: string): Promise<Prisma.QueryModel | undefined> {
  const { organizationId, userId } = caller;
  const draft = await tx.queryDraft.findFirst({
    where: { id, organizationId, userId },
    select: { savedQueryId: true },
  });
  if (!draft) throw draftNotFound();
  return draft.savedQueryId === null ? undefined : getQueryRow(tx, caller, draft.savedQueryId);
}

interface Saving {
  draft: Draft;
  input: SaveDraft;
}

async function saveText(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { draft, input }: Saving,
): Promise<Prisma.QueryModel> {
  const { sql, analyticalDatabaseConfigId, queryId, queryVersion } = draft;
  if (queryId !== null) {
    return updateQueryIn(deps, caller, {
      id: queryId,
      sql,
      analyticalDatabaseConfigId,
      version: input.version ?? queryVersion ?? undefined,
      ...(input.name !== undefined && { name: input.name }),
    });
  }
  const name = input.name ?? draft.name;
  if (name === null) {
    throw new AppError("invalid_request", "A new query needs a name.", {
      errors: [{ path: "name", message: "is required" }],
    });
  }
  const { folderId } = input;
  if (folderId !== undefined) await lockFolder(deps.tx, caller, folderId, "KEY SHARE");
  const query = await insertQuery(deps, caller, { sql, analyticalDatabaseConfigId, name });
  return folderId === undefined
    ? query
    : deps.tx.query.update({ where: { id: query.id }, data: { folderId } });
}

interface Publishing {
  draft: Draft;
  query: Prisma.QueryModel;
}

/**
 * A trial of the saved text becomes a run of the query, with its times and its result; one that has not ended starts
 * again as a run of the query. The run is a copy, because ended runs never change, and because a worker may hold the
 * trial's lease.
 */
async function publishTrial(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { draft: { trial }, query }: Publishing,
): Promise<void> {
  if (!trial?.isCurrent) return;
  // Locked, so that it does not end until it is copied.
  const [current] = await tx.$queryRaw<{ status: RunStatus }[]>`
    SELECT status::text FROM query_runs WHERE id = ${trial.runId}::uuid FOR NO KEY UPDATE`;
  if (!current || current.status === "failed") return;
  const isCompleted = current.status === "completed";
  // Workers have nothing to do for a completed one.
  if (isCompleted) await tx.$executeRaw`SELECT set_config('querybell.notices', 'after_commit', true)`;
  const id = newId(clock);
  const inserted = await tx.$executeRaw`
    INSERT INTO query_runs (id, organization_id, query_id, query_version, trigger_id, parameter_values, parameter_types,
      parameter_values_hash, rendered_sql, statement, created_at, system_values, row_rights_version)
    SELECT ${id}::uuid, organization_id, ${query.id}::uuid, ${query.version}, trigger_id, parameter_values,
      parameter_types, parameter_values_hash, rendered_sql, statement, created_at, system_values, row_rights_version
    FROM query_runs WHERE id = ${trial.runId}::uuid
    ON CONFLICT (query_id, parameter_values_hash) WHERE status IN ('pending', 'running') AND refresh_id IS NULL DO NOTHING`;
  // Nothing is inserted while the query has an unfinished run with equal values.
  if (!isCompleted || inserted === 0) return;
  await tx.$executeRaw`
    UPDATE query_runs r SET status = 'running', started_at = t.started_at, lease_worker = t.lease_worker,
      lease_until = t.lease_until, lease_number = t.lease_number
    FROM query_runs t WHERE r.id = ${id}::uuid AND t.id = ${trial.runId}::uuid`;
  await tx.$executeRaw`
    UPDATE query_runs r SET status = 'completed', completed_at = t.completed_at, progress_rows = t.progress_rows,
      engine_progress = t.engine_progress, rows_read = t.rows_read, rows_written = t.rows_written, cut_by = t.cut_by
    FROM query_runs t WHERE r.id = ${id}::uuid AND t.id = ${trial.runId}::uuid`;
  await tx.$executeRaw`
    DELETE FROM query_results d USING query_runs r
    WHERE r.id = ${id}::uuid AND d.query_id = r.query_id AND d.parameter_values_hash = r.parameter_values_hash
      AND d.dashboard_id IS NULL`;
  await tx.$executeRaw`
    UPDATE query_results SET run_id = ${id}::uuid, query_id = ${query.id}::uuid WHERE run_id = ${trial.runId}::uuid`;
}
