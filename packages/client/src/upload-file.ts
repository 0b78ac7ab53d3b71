import { TRPCClientError } from "@trpc/client";
import { addressOf, type ClientOptions, callHeadersOf } from "./client-options.ts";
import type { Inputs, Outputs } from "./router.ts";

type ImportInput = Inputs["uploads"]["import"];
type Reading = NonNullable<ImportInput["reading"]>;

/** An uploaded file that is not imported yet. `client.uploads.import.mutate({ id, table })` imports it. */
export type Upload = Outputs["uploads"]["overview"]["waiting"][number];
/** A table made of uploaded files. */
export type UploadedTable = Outputs["uploads"]["import"];

interface FileToUpload {
  /** Its extension decides the format: .csv, .tsv, .jsonl, .ndjson, .json, .xlsx or .parquet, and .gz after it. */
  name: string;
  /** A stream is sent as it comes. With Node: `Readable.toWeb(createReadStream(path))`, or `await openAsBlob(path)`. */
  content: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string;
  format?: Upload["format"];
  signal?: AbortSignal;
}

interface FileToImport extends FileToUpload {
  /** Imports the file into this table at once. */
  table: string;
  mode?: ImportInput["mode"];
  /** For the mode `upsert`: the columns that tell which row of the table a row of the file is. */
  key?: ImportInput["key"];
  /** How to read dates such as 01/02/2024 if no value shows the order: day or month first. */
  dateOrder?: ImportInput["dateOrder"];
  /** The encoding of a text file that is neither UTF-8 nor UTF-16. */
  encoding?: Reading["encoding"];
  /** What separates the values of a CSV file. */
  delimiter?: Reading["delimiter"];
  /** The sheet of an Excel file that has several. */
  sheet?: Reading["sheet"];
  /** The line, or the row of a sheet, with the names of the columns; 0 if there is none. */
  header?: Reading["header"];
}

/** Uploads a file and imports it into a table. If either fails, it throws and nothing is kept. */
export function uploadFile(options: ClientOptions, file: FileToImport): Promise<UploadedTable>;
/** Uploads a file without importing it. If it is not imported within a day, it is deleted. */
export function uploadFile(options: ClientOptions, file: FileToUpload): Promise<Upload>;
export async function uploadFile(
  options: ClientOptions,
  { content, signal, ...parameters }: FileToUpload | FileToImport,
): Promise<Upload | UploadedTable> {
  const address = new URL(addressOf(options, "/api/uploads"));
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) address.searchParams.append(name, String(one));
    }
  }
  const response = await fetch(address, {
    method: "POST",
    headers: callHeadersOf(options),
    body: content,
    ...(signal && { signal }),
    // Required where the body is a stream.
    ...({ duplex: "half" } as object),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status === 201) return answer as Upload | UploadedTable;
  throw toClientError(response, answer);
}

/** The same error that a procedure's call throws, so that `toApiError` reads it. */
function toClientError(response: Response, answer: unknown): TRPCClientError<never> {
  const problem: { code?: unknown; detail?: unknown; errors?: unknown } =
    typeof answer === "object" && answer !== null ? answer : {};
  const message =
    typeof problem.detail === "string" ? problem.detail : `The server answered ${response.status}.`;
  const data = { reason: problem.code, httpStatus: response.status, errors: problem.errors };
  return new TRPCClientError(message, {
    result: { error: { code: -32603, message, data } } as never,
    meta: { response },
  });
}
