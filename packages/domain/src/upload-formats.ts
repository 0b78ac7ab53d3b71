export const uploadFormats = ["csv", "json_lines", "parquet", "json", "excel"] as const;
type UploadFormat = (typeof uploadFormats)[number];

const formatsByEnding: ReadonlyMap<string, UploadFormat> = new Map([
  ["csv", "csv"],
  ["tsv", "csv"],
  ["jsonl", "json_lines"],
  ["ndjson", "json_lines"],
  ["json", "json"],
  ["parquet", "parquet"],
  ["xlsx", "excel"],
]);

/** The endings of the names of files that can be uploaded. */
export const fileEndings: readonly string[] = [...formatsByEnding.keys()].map((ending) => `.${ending}`);

/** The format of a file, by the end of its name. A file may be packed with gzip: `sales.csv.gz`. */
export function formatOf(fileName: string): UploadFormat | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(fileName.replace(/\.gz$/i, ""))?.[1];
  return formatsByEnding.get(ending?.toLowerCase() ?? "");
}

/** The orders in which dates such as 01/02/2024 are written: day, month, year; or month, day, year. */
export const dateOrders = ["dmy", "mdy"] as const;

/** The encodings of text that are read. Only for the first three can a file show which it has. */
export const encodings = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "iso-8859-15",
  "windows-1250",
  "iso-8859-2",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1257",
  "macintosh",
  "shift_jis",
  "euc-kr",
  "gb18030",
  "big5",
] as const;

/** The characters that can separate the values of a CSV file. */
export const delimiters = [",", ";", "\t", "|"] as const;

/**
 * Ways to write numbers other than 1234.56, by an example. A space is any space that separates thousands (also U+00A0,
 * U+2009 and U+202F), an apostrophe also U+2019.
 */
export const numberForms = [
  "1234.56",
  "1,234.56",
  "1 234.56",
  "1'234.56",
  "1234,56",
  "1.234,56",
  "1 234,56",
  "1'234,56",
] as const;

/** The types that can be chosen for a column instead of the guessed one. */
export const columnTypes = [
  "VARCHAR",
  "BOOLEAN",
  "BIGINT",
  "HUGEINT",
  "DOUBLE",
  "DECIMAL(18,2)",
  "DECIMAL(38,9)",
  "DATE",
  "TIME",
  "TIME_NS",
  "TIMESTAMP",
  "TIMESTAMP_NS",
  "TIMESTAMP WITH TIME ZONE",
  "UUID",
  "JSON",
] as const;

/**
 * Two names of columns are the same if this is equal. Names of SQL do not distinguish upper and lower case, and é can be written as
 * one character or as two. Statements need the name that the table has: DuckDB folds the letters of ASCII only.
 */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase();
