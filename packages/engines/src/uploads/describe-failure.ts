import { describeError } from "../duckdb/errors.ts";
import { findBrokenJsonLine } from "./broken-json-line.ts";
import { type UploadedFile, UploadRefused } from "./upload-tasks.ts";

const shownValueLength = 100;

/** Converts an error of DuckDB about a file to a sentence that names the line. */
export async function describeFailure(error: unknown, file: UploadedFile | undefined): Promise<unknown> {
  if (error instanceof UploadRefused) return error;
  const message = describeError(error);
  if (/no space left on device/i.test(message)) return diskFull(error);
  if (!file) return error;
  const refused = (text: string) => new UploadRefused("unreadable", text, { cause: error });
  if (/^Out of Memory/i.test(message)) {
    return refused(
      "The file needs more memory to be read than there is. Split it into several files, and append them.",
    );
  }
  switch (file.format) {
    case "csv":
      return refused(describeCsv(message));
    case "json_lines":
      return refused(await describeJson(message, file.path));
    case "parquet":
      return refused(describeParquet(message));
  }
}

const diskFull = (cause?: unknown) =>
  new UploadRefused(
    "disk_full",
    "There is no room left on the disk of this installation. Nothing was changed. Ask its operator to make room, then try again.",
    { cause },
  );

/** DuckDB's own message names no line here, but its options and the path of the file. */
const unreadableCsv =
  "The file cannot be read as CSV. Check that commas, semicolons, tabs or | separate its values, that all its lines end in the same way, that every quote is closed, and that it is saved as UTF-8; or upload it as JSON lines or Parquet.";

function describeCsv(message: string): string {
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  if (line === undefined) {
    return /utf-8|unicode/i.test(message)
      ? "The file is not UTF-8. Save it as UTF-8, and upload it again."
      : unreadableCsv;
  }
  const [, expected, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? [];
  if (expected !== undefined) {
    return `Line ${line} has ${found} ${found === "1" ? "value" : "values"}, but the first line names ${expected} columns. Correct that line, and upload the file again.`;
  }
  const [, column, value, type] =
    /converting column "(.*)"\. Could not convert string "(.*)" to '([^']*)'/s.exec(message) ?? [];
  if (column !== undefined) return wrongValue(`Line ${line}`, { column, value, type });
  if (/unterminated quote/i.test(message)) {
    return `Line ${line} has a quote that is not closed. Correct it, and upload the file again.`;
  }
  if (/utf-8|unicode/i.test(message)) {
    return `Line ${line} is not UTF-8. Save the file as UTF-8, and upload it again.`;
  }
  if (/line size/i.test(message)) return `Line ${line} is longer than the 2 MB that a line may have.`;
  const reason = message
    .split("\n")
    .find((text) => !/Error on Line|^Original Line/.test(text) && text.trim() !== "");
  return `Line ${line} cannot be read. ${reason?.trim() ?? ""}`.trim();
}

async function describeJson(message: string, path: string): Promise<string> {
  const [, line, reason] = /JSON transform error in file ".*", in line (\d+): (.*)/.exec(message) ?? [];
  if (line !== undefined) {
    return `Line ${line} has a value that does not fit the type of its column: ${shortened(reason)}. Choose another type for the column, or correct the file.`;
  }
  const broken = await findBrokenJsonLine(path);
  return broken === undefined
    ? `The file cannot be read as JSON lines: ${firstLine(message).replaceAll(path, "the file")}`
    : `Line ${broken} is not an object of JSON. Each line must be one, like {"id": 1}.`;
}

const describeParquet = (message: string): string =>
  /^Conversion Error/.test(message)
    ? `A value does not fit the type of its column: ${firstLine(message).replace(/^Conversion Error: /, "")} Choose another type for the column.`
    : "The file is not a Parquet file, or a part of it is missing. Upload it again.";

const wrongValue = (
  where: string,
  { column, value, type }: { column: string; value: string | undefined; type: string | undefined },
): string =>
  `${where}: “${shortened(value)}” in the column ${column} is not of the type ${type}. Choose another type for the column, or correct the file.`;

const firstLine = (message: string): string => shortened(message.split("\n")[0]);

const shortened = (text = ""): string =>
  text.length > shownValueLength ? `${text.slice(0, shownValueLength)}…` : text;
