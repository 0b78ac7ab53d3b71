import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Clock,
  type CreateDraft,
  type Draft,
  type DraftId,
  type DraftParameters,
  draftDays,
  isSameJson,
  maxDrafts,
  newId,
  type UpdateDraft,
} from "@querybell/domain";
import { checkInputs } from "@querybell/statements";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { checkChoiceQueries } from "../queries/parameters.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import { draftChanged, lockDraft, readDraft } from "./get-draft.ts";

/** The times of a draft that is used now. */
export function usedNow(clock: Clock): { updatedAt: Date; expiresAt: Date } {
  const updatedAt = clock.now();
  return { updatedAt, expiresAt: new Date(updatedAt.getTime() + draftDays * 24 * 60 * 60 * 1000) };
}

/**
 * Creates a draft of a new query, or of a change of a saved one. If there is one of that query with the same text, it is
 * returned: a call whose answer was lost can be repeated.
 */
export async function createDraft(deps: Deps, caller: Caller, input: CreateDraft): Promise<Draft> {
  const { organizationId, userId } = caller;
  const { sql, analyticalDatabaseConfigId, name = null, parameters = null, queryId } = input;
  return deps.db.transaction(async (tx) => {
    // Drafts that a person creates at the same moment are counted one after the other.
    await lockRow(tx, { table: "users", key: { id: userId }, strength: "NO KEY UPDATE" });
    await getDatabaseRow(tx, caller, analyticalDatabaseConfigId);
    const queryVersion = await checkVersion(tx, caller, input);
    const existing = queryId === undefined ? undefined : await readDraft(tx, caller, { queryId });
    if (existing && isSameContent(existing, { sql, analyticalDatabaseConfigId, parameters })) return existing;
    if (existing) throw draftChanged(existing.revision);
    await checkParameters({ ...deps, tx }, caller, { parameters, queryId });
    await refuseTooMany(tx, caller);
    const id = newId(deps.clock);
    const times = usedNow(deps.clock);
    await tx.queryDraft.create({
      data: {
        id,
        organizationId,
        userId,
        queryId: queryId ?? null,
        queryVersion,
        analyticalDatabaseConfigId,
        sql,
        name,
        parameters: parameters ?? Prisma.DbNull,
        createdAt: times.updatedAt,
        ...times,
      },
    });
    return lockDraft(tx, caller, { id });
  });
}

async function checkVersion(
  tx: Tx,
  caller: Caller,
  { queryId, queryVersion }: CreateDraft,
): Promise<number | null> {
  if (queryId === undefined) {
    if (queryVersion === undefined) return null;
    throw new AppError("invalid_request", "Name the query of this version, or leave the version out.", {
      errors: [{ path: "queryVersion", message: "needs a queryId" }],
    });
  }
  const { version } = await getQueryRow(tx, caller, queryId);
  if (queryVersion !== undefined && queryVersion > version) {
    throw new AppError("invalid_request", `The query is at version ${version}. Base the draft on that.`, {
      errors: [{ path: "queryVersion", message: `must be at most ${version}` }],
    });
  }
  return queryVersion ?? version;
}

async function refuseTooMany(tx: Tx, { organizationId, userId }: Caller): Promise<void> {
  const count = await tx.queryDraft.count({ where: { organizationId, userId, deletedAt: null } });
  if (count < maxDrafts) return;
  throw new AppError(
    "conflict",
    `You have ${maxDrafts} drafts, and no more are kept. Save or delete some of them.`,
  );
}

type Content = Pick<Draft, "sql" | "analyticalDatabaseConfigId" | "parameters">;

const isSameContent = (one: Content, other: Content): boolean =>
  one.sql === other.sql &&
  one.analyticalDatabaseConfigId === other.analyticalDatabaseConfigId &&
  isSameJson(one.parameters, other.parameters);

/** Throws if the parameters do not fit together, or if choices come from a query that is not there. */
async function checkParameters(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { parameters, queryId }: { parameters: DraftParameters | null; queryId: string | undefined },
): Promise<void> {
  if (!parameters) return;
  checkInputs(parameters, clock);
  await checkChoiceQueries(tx, caller, parameters, queryId);
}

/**
 * Changes a draft, if it still has this revision. A change that was made already is not refused: a call whose answer was
 * lost can be repeated.
 */
export async function updateDraft(
  deps: Deps,
  caller: Caller,
  { id, revision, ...input }: UpdateDraft,
): Promise<Draft> {
  return deps.db.transaction(async (tx) => {
    const before = await lockDraft(tx, caller, { id });
    const changed = {
      sql: input.sql ?? before.sql,
      analyticalDatabaseConfigId: input.analyticalDatabaseConfigId ?? before.analyticalDatabaseConfigId,
      name: input.name === undefined ? before.name : input.name,
      parameters: input.parameters === undefined ? before.parameters : input.parameters,
    };
    if (isSameContent(before, changed) && changed.name === before.name) return before;
    if (revision !== before.revision) throw draftChanged(before.revision);
    if (changed.analyticalDatabaseConfigId !== before.analyticalDatabaseConfigId) {
      await getDatabaseRow(tx, caller, changed.analyticalDatabaseConfigId);
    }
    const { parameters, ...text } = changed;
    if (!isSameJson(parameters, before.parameters)) {
      await checkParameters({ ...deps, tx }, caller, { parameters, queryId: before.queryId ?? undefined });
    }
    await tx.queryDraft.update({
      where: { id },
      data: {
        ...text,
        ...usedNow(deps.clock),
        parameters: parameters ?? Prisma.DbNull,
        revision: { increment: 1 },
      },
      select: { id: true },
    });
    return lockDraft(tx, caller, { id });
  });
}

/** Deletes a draft. Its unfinished trial is cancelled. */
export async function deleteDraft(deps: Deps, caller: Caller, { id }: DraftId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockDraft(tx, caller, { id });
    await endDraft({ ...deps, tx }, { id });
  });
}

/**
 * Ends a draft that is deleted or saved. The row stays until its trials have ended, because a worker may still read
 * them; `purge_history` removes both.
 */
export async function endDraft(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  { id, savedQueryId = null }: { id: string; savedQueryId?: string | null },
): Promise<void> {
  const now = deps.clock.now();
  await cancelTrials(deps, id);
  await deps.tx.queryDraft.update({
    where: { id },
    data: { deletedAt: now, expiresAt: now, savedQueryId },
    select: { id: true },
  });
}

/** Cancels the unfinished trials of a draft. */
export async function cancelTrials(deps: { tx: Tx } & Pick<Deps, "clock">, draftId: string): Promise<void> {
  const unfinished = await deps.tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM queries q JOIN query_runs r ON r.query_id = q.id
    WHERE q.draft_id = ${draftId}::uuid AND r.status IN ('pending', 'running')`;
  if (unfinished.length === 0) return;
  await requestCancel(
    deps,
    unfinished.map(({ id }) => id),
  );
}
