import { type Caller, FileReading } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { nameIs } from "./uploaded-tables.ts";

interface AskedReading {
  /** The table that the file goes into, if it is known. */
  table: string | undefined;
  reading: FileReading;
}

/** How a file is to be read: as it is asked for; where nothing is asked, as the table remembers it. */
export async function findReading(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { table, reading }: AskedReading,
): Promise<FileReading> {
  if (table === undefined) return reading;
  const row = await db.prisma.uploadedTable.findFirst({ where: { organizationId, ...nameIs(table) } });
  return { ...FileReading.parse(row?.reading ?? {}), ...reading };
}
