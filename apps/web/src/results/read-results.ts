// Reads what the api stores of results: in the worker, and in the window before the app has loaded.

import type { Field } from "@querybell/domain";

export interface ResultBody {
  fields: Field[];
  rows: unknown[][];
}

export interface ResultOfRun {
  runId: string;
  body: ResultBody;
}

interface StoredResult {
  runId: string;
  /** Compressed. */
  bytes: Uint8Array<ArrayBuffer>;
}

const lineEnd = 10;

/** Several results: each is a line of JSON with its run and its number of bytes, and then these bytes. */
function splitResults(bytes: Uint8Array<ArrayBuffer>): StoredResult[] {
  const results: StoredResult[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(lineEnd, at);
    const head: { runId: string; bytes: number } = JSON.parse(
      new TextDecoder().decode(bytes.subarray(at, end)),
    );
    at = end + 1 + head.bytes;
    results.push({ runId: head.runId, bytes: bytes.subarray(end + 1, at) });
  }
  return results;
}

/** Reads several results. */
export const readResults = (bytes: Uint8Array<ArrayBuffer>): Promise<ResultOfRun[]> =>
  Promise.all(
    splitResults(bytes).map(async (stored) => {
      const compressed = new Blob([stored.bytes]).stream();
      const unzipped = compressed.pipeThrough(new DecompressionStream("gzip"));
      return { runId: stored.runId, body: await readResultBody(new Response(unzipped)) };
    }),
  );

/** How many bytes several results have once they are unzipped: each one's last four bytes say it. */
export function unzippedBytes(bytes: Uint8Array<ArrayBuffer>): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return splitResults(bytes).reduce(
    (sum, { bytes: { byteOffset, length } }) =>
      sum + view.getUint32(byteOffset - bytes.byteOffset + length - 4, true),
    0,
  );
}

/** Reads a stored result, in the published shape. */
export const readResultBody = async (answer: Response): Promise<ResultBody> =>
  requireResult(await answer.json().catch(() => undefined));

function requireResult(body: unknown): ResultBody {
  if (isResult(body)) return body;
  throw new Error(isProblem(body) ? body.detail : "The result could not be read. Try again.");
}

// Our own api wrote the body, so only its shape is checked, not each value.
const isResult = (body: unknown): body is ResultBody =>
  typeof body === "object" && body !== null && "fields" in body && "rows" in body;

const isProblem = (body: unknown): body is { detail: string } =>
  typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string";
