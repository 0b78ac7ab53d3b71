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
import { recordUses } from "../chart-tables/record-uses.ts";
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
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { sql, analyticalDatabaseConfigId, name = null, description = null }: CreateQuery,
): Promise<Prisma.QueryModel> {
  const database = await getDatabaseRow(tx, { organizationId }, analyticalDatabaseConfigId);
  parseStatement(sql, engineOf(database.engine).dialect);
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
  if (database.holdsUploads) await recordUses(tx, row, database);
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
  if (isSameStatement) return tx.query.update({ where: { id }, data: { name, description, updatedAt } });
  if (version !== undefined && version !== before.version) throw queryChanged(version, before.version);
  const database = await getDatabaseRow(tx, caller, analyticalDatabaseConfigId);
  parseStatement(sql, engineOf(database.engine).dialect);
  await requestCancelOfUnfinished(deps, id);
  const written = { versionBy: caller.userId, versionAt: updatedAt };
  const row = await tx.query.update({
    where: { id },
    data: { name, description, sql, analyticalDatabaseConfigId, updatedAt, ...written },
  });
  await recordUses(tx, row, database);
  return row;
}

const queryChanged = (named: number, current: number) =>
  new AppError(
    "query_changed",
    `The query was changed since version ${named}: it is at version ${current} now. Read it, and make your change to that.`,
  );

/** Soft delete: the history remains. Also deletes the query's references and cancels its unfinished runs. */
export async function deleteQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockQuery(tx, caller, id);
    const deletedAt = deps.clock.now();
    await requestCancelOfUnfinished({ ...deps, tx }, id);
    await tx.queryReference.updateMany({ where: { queryId: id, deletedAt: null }, data: { deletedAt } });
    await tx.query.update({ where: { id }, data: { deletedAt } });
  });
}
