import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DatabaseId,
  type SaveDescription,
  type TableDescription,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { getDatabaseRow, requireWriteSql } from "./get-database.ts";

/** All of them are read at once. */
const maxDescriptions = 5_000;

/** What people have written about the tables and columns of a database. */
export async function listDescriptions(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { id }: DatabaseId,
): Promise<TableDescription[]> {
  await getDatabaseRow(db.prisma, { organizationId }, id);
  requireWriteSql(id);
  const rows = await db.prisma.tableDescription.findMany({ where: { organizationId, databaseId: id } });
  return rows.map(toDescription);
}

/** Writes, replaces or, with an empty text, removes what is said about a table or a column. */
export async function saveDescription(
  { db, clock }: Deps,
  caller: Caller,
  { id, schema, table, column, description }: SaveDescription,
): Promise<void> {
  const { organizationId, userId } = caller;
  const key = { databaseId: id, schemaName: schema, tableName: table, columnName: column ?? "" };
  const where = { databaseId_schemaName_tableName_columnName: key };
  await db.transaction(async (tx) => {
    // Locked, so that two writers together do not exceed the limit, and the database is not deleted meanwhile.
    await lockRow(tx, {
      table: "analytical_database_configs",
      key: { id },
      organizationId,
      strength: "NO KEY UPDATE",
    });
    await getDatabaseRow(tx, caller, id);
    requireWriteSql(id);
    const before = await tx.tableDescription.findUnique({ where });
    if ((before?.description ?? "") === description) return;
    if (!before && (await tx.tableDescription.count({ where: { databaseId: id } })) >= maxDescriptions) {
      throw new AppError(
        "conflict",
        `${maxDescriptions} tables and columns of this database are described already. Remove a description first.`,
      );
    }
    if (description === "") await tx.tableDescription.delete({ where });
    else {
      const data = { description, updatedBy: userId, updatedAt: clock.now() };
      await tx.tableDescription.upsert({
        where,
        create: { ...key, organizationId, ...data },
        update: data,
      });
    }
    const detail = { schema, table, column, removed: description === "" };
    await recordAudit({ tx, clock }, caller, { action: "database.described", targetId: id, detail });
  });
}

const toDescription = (row: Prisma.TableDescriptionModel): TableDescription => ({
  schema: row.schemaName,
  table: row.tableName,
  column: row.columnName === "" ? null : row.columnName,
  description: row.description,
  updatedBy: row.updatedBy,
  updatedAt: row.updatedAt.toISOString(),
});
