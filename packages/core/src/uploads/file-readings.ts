import { AppError, type Caller, FileReading } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { nameIs } from "./uploaded-tables.ts";

interface AskedReading {
  /** The table that the file goes into, if it is known. */
  table: string | undefined;
  reading: FileReading;
  key: string[];
}

/** What a table remembers about its files. */
interface Remembered {
  reading: FileReading;
  key: string[];
  /** Whether there is such a table. */
  hasTable: boolean;
}

/** How a file is to be read and matched: as it is asked for; where nothing is asked, as the table remembers it. */
export async function findReading(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { table, reading, key }: AskedReading,
): Promise<Remembered> {
  if (table === undefined) return { reading, key, hasTable: false };
  const row = await db.prisma.uploadedTable.findFirst({ where: { organizationId, ...nameIs(table) } });
  return {
    reading: { ...FileReading.parse(row?.reading ?? {}), ...reading },
    key: key.length > 0 ? key : (row?.key ?? []),
    hasTable: row !== null,
  };
}

export function requireKey(key: readonly string[]): void {
  if (key.length === 0) {
    throw new AppError(
      "invalid_request",
      "Send key: the columns that tell which row of the table a row of the file is.",
    );
  }
}
