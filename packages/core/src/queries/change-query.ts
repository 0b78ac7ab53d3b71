import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreateQuery,
  newId,
  type Query,
  type QueryId,
  type UpdateQuery,
} from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { parseStatement } from "@querybell/statements";
import { noteRowRightsIn } from "../access/row-rights.ts";
import { type Actor, type AuditRecord, recordAudit, recordAuditOfEach } from "../audit.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { requestCancelOfUnfinished } from "../runs/cancel-run.ts";
import { findLatestRun, lockQuery, toQuery } from "./get-query.ts";

export async function createQuery(deps: Deps, caller: Caller, input: CreateQuery): Promise<Query> {
  return deps.db.transaction(async (tx) =>
    toQuery(await insertQuery({ ...deps, tx }, caller, input), undefined),
  );
}

export async function insertQuery(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  creator: Actor & { userId: string },
  { sql, analyticalDatabaseConfigId, name = null, description = null }: CreateQuery,
): Promise<Prisma.QueryModel> {
  const { organizationId, userId } = creator;
  const { engine } = await getDatabaseRow(tx, { organizationId }, analyticalDatabaseConfigId);
  parseStatement(sql, engineOf(engine).dialect);
  await noteRowRightsIn(tx, { organizationId }, sql);
  const now = clock.now();
  const row = await tx.query.create({
    data: {
      id: newId(clock),
      organizationId,
      analyticalDatabaseConfigId,
      sql,
      name,
      description,
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  const detail = { name, databaseId: analyticalDatabaseConfigId };
  await recordAudit({ tx, clock }, creator, { action: "query.created", targetId: row.id, detail });
  return row;
}

/** A changed statement or database creates a new version and cancels the unfinished runs of the previous one. */
export async function updateQuery(deps: Deps, caller: Caller, input: UpdateQuery): Promise<Query> {
  const row = await deps.db.transaction((tx) => updateQueryIn({ ...deps, tx }, caller, input));
  return toQuery(row, await findLatestRun(deps, row.id));
}

/** The same in the transaction of the caller. Locks the query. */
export async function updateQueryIn(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { id, version, ...input }: UpdateQuery,
): Promise<Prisma.QueryModel> {
  const { tx } = deps;
  const before = await lockQuery(tx, caller, id);
  const name = input.name === undefined ? before.name : input.name;
  const description = input.description === undefined ? before.description : input.description;
  const sql = input.sql ?? before.sql;
  const analyticalDatabaseConfigId = input.analyticalDatabaseConfigId ?? before.analyticalDatabaseConfigId;
  const isSameStatement =
    sql === before.sql && analyticalDatabaseConfigId === before.analyticalDatabaseConfigId;
  if (isSameStatement && name === before.name && description === before.description) return before;
  const updatedAt = deps.clock.now();
  const record = (row: Prisma.QueryModel) => recordQueryChange(deps, caller, { before, after: row });
  if (isSameStatement) {
    return record(await tx.query.update({ where: { id }, data: { name, description, updatedAt } }));
  }
  if (version !== undefined && version !== before.version) throw queryChanged(version, before.version);
  const { engine } = await getDatabaseRow(tx, caller, analyticalDatabaseConfigId);
  parseStatement(sql, engineOf(engine).dialect);
  await noteRowRightsIn(tx, caller, sql);
  await requestCancelOfUnfinished(deps, id);
  const written = { versionBy: caller.userId, versionAt: updatedAt };
  return record(
    await tx.query.update({
      where: { id },
      data: { name, description, sql, analyticalDatabaseConfigId, updatedAt, ...written },
    }),
  );
}

const auditedFields = ["name", "description", "sql", "analyticalDatabaseConfigId"] as const;

/** Says which fields have changed. Their earlier values are in the versions of the query. */
async function recordQueryChange(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { before, after }: Record<"before" | "after", Prisma.QueryModel>,
): Promise<Prisma.QueryModel> {
  const changed = auditedFields.filter((field) => before[field] !== after[field]);
  const detail = { name: after.name, changed, version: after.version };
  await recordAudit(deps, caller, { action: "query.changed", targetId: after.id, detail });
  return after;
}

const queryChanged = (named: number, current: number) =>
  new AppError(
    "query_changed",
    `The query was changed since version ${named}: it is at version ${current} now. Read it, and make your change to that.`,
  );

/** Soft delete: the history remains. Also deletes the query's references and cancels its unfinished runs. */
export async function deleteQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { name } = await lockQuery(tx, caller, id);
    const deletedAt = deps.clock.now();
    await requestCancelOfUnfinished({ ...deps, tx }, id);
    // The table itself, with references that the caller does not see. Its trigger refuses what they may not change.
    const references = await tx.$queryRaw<{ id: string; title: string }[]>`
      UPDATE public.query_references SET deleted_at = ${deletedAt}
      WHERE query_id = ${id}::uuid AND deleted_at IS NULL
      RETURNING id, title`;
    await tx.query.update({ where: { id }, data: { deletedAt } });
    await recordAuditOfEach({ ...deps, tx }, caller, [
      { action: "query.deleted", targetId: id, detail: { name } },
      ...references.map(
        ({ id: targetId, title }): AuditRecord => ({
          action: "reference.deleted",
          targetId,
          detail: { title, queryId: id },
        }),
      ),
    ]);
  });
}
