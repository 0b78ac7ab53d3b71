import { isDeepStrictEqual } from "node:util";
import { AppError, type Caller, FileReading, UploadedTable } from "@querybell/domain";
import { foldName } from "@querybell/domain/upload-formats";
import type { FilePreview, NamesBefore } from "@querybell/engines";
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
  /**
   * Without what the table remembers of the line of names and of numbers: it is used only if the file has such names.
   */
  reading: FileReading;
  namesBefore: NamesBefore | undefined;
  /** Undefined if it is asked for how numbers are written. */
  numbersBefore: FileReading["numbers"];
  /** What the table remembers, whatever is asked for. */
  before: FileReading;
  key: string[];
  /** The order in which all ambiguous dates of the table came; undefined if there is none, or both. */
  dateOrderBefore: DateOrder | undefined;
  /** The columns of the table; undefined if there is no such table. */
  columns: UploadedTable["columns"] | undefined;
}

type DateOrder = UploadedTable["columns"][number]["dateOrder"];

/** How a file is to be read and matched: as it is asked for; where nothing is asked, as the table remembers it. */
export async function findReading(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { table, reading, key }: AskedReading,
): Promise<Remembered> {
  if (table === undefined) {
    const nothing = { namesBefore: undefined, numbersBefore: undefined, dateOrderBefore: undefined };
    return { reading, key, columns: undefined, before: {}, ...nothing };
  }
  const row = await db.prisma.uploadedTable.findFirst({ where: { organizationId, ...nameIs(table) } });
  const before = FileReading.parse(row?.reading ?? {});
  const { header, numbers, ...others } = before;
  const stored = UploadedTable.shape.columns.parse(row?.columns ?? []);
  const columns = stored.map(({ name }) => name);
  const [dateOrderBefore, ...otherOrders] = new Set(stored.flatMap(({ dateOrder }) => dateOrder ?? []));
  return {
    reading: { ...others, ...reading },
    namesBefore: header === undefined || reading.header !== undefined ? undefined : { header, columns },
    numbersBefore: reading.numbers === undefined ? numbers : undefined,
    before,
    key: key.length > 0 ? key : (row?.key ?? []),
    dateOrderBefore: otherOrders.length === 0 ? dateOrderBefore : undefined,
    columns: row === null ? undefined : stored,
  };
}

/** What of a reading is as the table remembers it. */
export function findRemembered(
  before: FileReading,
  asked: FileReading,
  { reading, hasNamesAsBefore }: Pick<FilePreview, "reading" | "hasNamesAsBefore">,
): FileReading {
  const { header, numbers: _, ...others } = before;
  const isSame = ([name, value]: [string, unknown]) =>
    new Map<string, unknown>(Object.entries(asked)).get(name) === undefined &&
    isDeepStrictEqual(new Map<string, unknown>(Object.entries(reading)).get(name), value);
  return {
    ...Object.fromEntries(Object.entries(others).filter(isSame)),
    ...(hasNamesAsBefore && { header }),
    // Those of the file's columns alone, with the names that the file has for them.
    ...(asked.numbers === undefined && reading.numbers && { numbers: reading.numbers }),
  };
}

/** A file with just the names of a table's columns shows no types. A table that it replaces keeps its own. */
export function withTypesOfTable(
  { columns, rows }: Pick<FilePreview, "columns" | "rows">,
  stored: UploadedTable["columns"],
): FilePreview["columns"] {
  const typeOf = new Map(stored.map(({ name, type }) => [foldName(name), type]));
  const isSame = columns.length === typeOf.size && columns.every(({ name }) => typeOf.has(foldName(name)));
  if (rows.length > 0 || !isSame) return columns;
  return columns.map((column) => ({ ...column, type: typeOf.get(foldName(column.name)) ?? column.type }));
}

export function requireKey(key: readonly string[]): void {
  if (key.length === 0) {
    throw new AppError(
      "invalid_request",
      "Send key: the columns that tell which row of the table a row of the file is.",
    );
  }
}
