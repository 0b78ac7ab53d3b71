import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { shorten } from "@querybell/domain/text";
import { describeError } from "../duckdb/errors.ts";
import { EngineError } from "../engine.ts";
import type { ScratchFiles } from "./file-reader.ts";
import { readJsonLayout } from "./json-array.ts";
import { notAnObject, readLines } from "./json-lines-source.ts";
import { type UploadedFile, UploadRefused } from "./upload-tasks.ts";

const shownTextLength = 100;
/** DuckDB's limit, below which it reads every line. */
const longestLine = 16 * 1024 ** 2;

interface Involved {
  file?: UploadedFile | undefined;
  scratch?: ScratchFiles;
  database?: string | undefined;
}

/** Converts an error of DuckDB about a file to a sentence that names the line. No path of the server is in it. */
export async function describeFailure(error: unknown, involved: Involved): Promise<unknown> {
  if (error instanceof UploadRefused) return error;
  const { file, scratch } = involved;
  const message = withoutPaths(describeError(error), involved);
  if (/no space left on device/i.test(message)) return diskFull(error);
  if (!file)
    return new EngineError("engine_crashed", `The tables could not be changed: ${message}`, { cause: error });
  const refused = (text: string) => new UploadRefused("unreadable", text, { cause: error });
  if (/^Out of Memory/i.test(message)) {
    return refused(
      "The file needs more memory to be read than there is. Split it into several files, and append them.",
    );
  }
  switch (file.format) {
    case "csv":
      return refused(describeCsv(message, isWritten(scratch?.rewritten)));
    case "json":
    case "json_lines":
      return refused(await describeJson(message, file, scratch));
    case "parquet":
      return refused(describeParquet(message));
    case "excel":
      return refused(`The Excel file cannot be read: ${reasonOf(message)}`);
  }
}

/** DuckDB names files with their paths. */
function withoutPaths(message: string, { file, scratch, database }: Involved): string {
  const paths = [file?.path, database, ...Object.values(scratch ?? {})].filter((path) => path !== undefined);
  const folders = paths.map((path) => dirname(path));
  return [...paths, ...folders].reduce((text, path) => text.replaceAll(path, "…"), message);
}

const isWritten = (path: string | undefined): boolean => path !== undefined && existsSync(path);

const diskFull = (cause?: unknown) =>
  new UploadRefused(
    "disk_full",
    "There is no room left on the disk of this installation. Nothing was changed. Ask its operator to make room, then try again.",
    { cause },
  );

/** DuckDB's own message names no line here, but its options and the path of the file. */
const unreadableCsv =
  "The file cannot be read as CSV. Check that commas, semicolons, tabs or | separate its values, that all its lines end in the same way, that every quote is closed, and that it is saved as UTF-8; or upload it as JSON lines or Parquet.";

/** In a copy without the first lines, the lines have other numbers. */
function describeCsv(message: string, isCopy: boolean): string {
  const line = isCopy ? undefined : /CSV Error on Line: (\d+)/.exec(message)?.[1];
  if (line === undefined) {
    if (/line size/i.test(message)) return "A line is longer than the 2 MB that a line may have.";
    return /utf-8|unicode/i.test(message)
      ? "The file is not UTF-8. Save it as UTF-8, and upload it again."
      : unreadableCsv;
  }
  if (/utf-8|unicode/i.test(message)) {
    return `Line ${line} is not UTF-8. Save the file as UTF-8, and upload it again.`;
  }
  if (/line size/i.test(message)) return `Line ${line} is longer than the 2 MB that a line may have.`;
  const reason = message
    .split("\n")
    .find((text) => !/Error on Line|^Original Line/.test(text) && text.trim() !== "");
  return `Line ${line} cannot be read. ${shorten(reason?.trim() ?? "", shownTextLength)}`.trim();
}

async function describeJson(
  message: string,
  { path, format }: UploadedFile,
  scratch: Involved["scratch"],
): Promise<string> {
  const [text = path] = [scratch?.decoded, scratch?.unpacked].filter(isWritten);
  const isList = format === "json" || (await readJsonLayout(text)).isList;
  const lines = scratch && isWritten(scratch.rewritten) ? scratch.rewritten : text;
  const unit = isList ? "Element" : "Line";
  let elements = 0;
  for await (const { number, bytes } of readLines(lines)) {
    const place = `${unit} ${isList ? ++elements : number}`;
    if (bytes.length > longestLine) return `${place} is longer than the 16 MiB that it may have.`;
    if (!isUtf8(bytes)) return `${place} is not UTF-8. Save the file as UTF-8, and upload it again.`;
    const fault = findFault(bytes.toString());
    if (fault === "no object") return notAnObject(unit, isList ? elements : number);
    if (fault === "half a pair") {
      return `${place} has half of a surrogate pair, which is no character. Correct it, and upload the file again.`;
    }
  }
  return `The file cannot be read as JSON: ${reasonOf(message)}`;
}

function findFault(line: string): "no object" | "half a pair" | undefined {
  let areWellFormed = true;
  try {
    const value: unknown = JSON.parse(line, (key: string, part: unknown) => {
      areWellFormed &&= key.isWellFormed() && (typeof part !== "string" || part.isWellFormed());
      return part;
    });
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "no object";
    return areWellFormed ? undefined : "half a pair";
  } catch (error) {
    // Values that are nested too deep for this are left to DuckDB.
    return error instanceof SyntaxError ? "no object" : undefined;
  }
}

/** What DuckDB says about files that are damaged, or no Parquet at all. */
const damaged = /magic bytes|too small to be|footer|TProtocolException|Out of buffer|decompress/i;

const describeParquet = (message: string): string =>
  damaged.test(message)
    ? "The file is not a Parquet file, or a part of it is damaged or missing. Upload it again."
    : `The file cannot be read as Parquet: ${reasonOf(message)}`;

/** The first line of DuckDB's message, without the kind of its error. */
function reasonOf(message: string): string {
  const [line = ""] = message.split("\n");
  const reason = line.replace(/^[A-Za-z ]+ Error: /, "");
  return shorten(reason, shownTextLength);
}
