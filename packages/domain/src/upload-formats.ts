export const uploadFormats = ["csv", "json_lines", "parquet"] as const;

/** The format of a file, by the end of its name. */
export function formatOf(fileName: string): (typeof uploadFormats)[number] | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  switch (ending) {
    case "csv":
    case "tsv":
      return "csv";
    case "jsonl":
    case "ndjson":
      return "json_lines";
    case "parquet":
      return "parquet";
    default:
      return undefined;
  }
}

/** The orders in which dates such as 01/02/2024 are written: day, month, year; or month, day, year. */
export const dateOrders = ["dmy", "mdy"] as const;

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
