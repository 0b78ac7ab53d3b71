import type { Prisma } from "@querybell/db";
import { AppError, type Caller, FileReading, UploadedTable } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Names of tables do not distinguish upper and lower case. Prisma compares them with ILIKE, where _ is a wildcard. */
export const nameIs = (table: string) =>
  ({ name: { equals: table.replaceAll(/[\\%_]/g, "\\$&"), mode: "insensitive" } }) as const;

export const withUpdater = { updater: { select: { id: true, name: true } } } as const;

type Row = Prisma.UploadedTableModel & { updater: { id: string; name: string } | null };

export const toTable = ({ updater, ...row }: Row): UploadedTable => ({
  name: row.name,
  columns: UploadedTable.shape.columns.parse(row.columns),
  rowCount: Number(row.rowCount),
  bytes: Number(row.bytes),
  fileName: row.fileName,
  reading: FileReading.parse(row.reading),
  key: row.key,
  updatedBy: updater && { userId: updater.id, name: updater.name },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export async function getTable(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  table: string,
): Promise<UploadedTable> {
  const row = await db.prisma.uploadedTable.findFirst({
    where: { organizationId, ...nameIs(table) },
    include: withUpdater,
  });
  if (!row)
    throw new AppError("not_found", `There is no table ${table}. List the tables to see which there are.`);
  return toTable(row);
}
