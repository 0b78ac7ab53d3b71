import { createGzip, gunzipSync } from "node:zlib";
import type { ComparisonOutcome, ComparisonTask } from "@querybell/domain/comparisons";
import { compareTables } from "./compare-tables.ts";
import { describeComparison } from "./describe-comparison.ts";
import { JsonTable, TooManyCells } from "./json-table.ts";
import { writeDifferences } from "./write-differences.ts";

/**
 * Compares two results, the earlier one first: each its JSON or that compressed with gzip. Blocks the event loop, so only
 * engine hosts may call it. `send` gets the file of all differences, compressed with gzip.
 */
export async function compareResults(
  inputs: Buffer[],
  { key, rowCounts, jsonBytes, writesFile }: ComparisonTask,
  send: (bytes: Uint8Array) => Promise<void>,
): Promise<ComparisonOutcome> {
  const [before, after] = [0, 1].map((at) => {
    const json = toJson(inputs[at] ?? Buffer.alloc(0), jsonBytes[at] ?? 0);
    // Frees the compressed one.
    delete inputs[at];
    return toTable(json, rowCounts[at] ?? 0);
  });
  if (!before || !after) {
    const reason = "The results have too many cells to compare. Select fewer columns or rows in the query.";
    return { kind: "refused", reason };
  }
  const compared = compareTables({ before, after }, key);
  if ("problem" in compared) return { kind: "refused", reason: compared.problem.slice(0, 1000) };
  const comparison = describeComparison(compared);
  const written = writesFile ? await sendFile(writeDifferences(compared), send) : { rows: 0, bytes: 0 };
  return { kind: "compared", comparison, fileRows: written.rows, fileJsonBytes: written.bytes };
}

const gzipMagic = 0x1f8b;

/** In one piece: joining several would need twice the memory. */
function toJson(input: Buffer, jsonBytes: number): Buffer {
  if (input.length < 2 || input.readUInt16BE(0) !== gzipMagic) return input;
  return gunzipSync(input, { chunkSize: jsonBytes + 64, maxOutputLength: jsonBytes });
}

function toTable(json: Buffer, rowCount: number): JsonTable | undefined {
  try {
    return new JsonTable(json, rowCount);
  } catch (error) {
    if (error instanceof TooManyCells) return undefined;
    throw error;
  }
}

async function sendFile(
  pieces: Generator<string, { rows: number; bytes: number }>,
  send: (bytes: Uint8Array) => Promise<void>,
): Promise<{ rows: number; bytes: number }> {
  const gzip = createGzip({ level: 4 });
  const sent = (async () => {
    for await (const chunk of gzip) await send(chunk);
  })();
  for (;;) {
    const next = pieces.next();
    if (next.done) {
      gzip.end();
      await sent;
      return next.value;
    }
    if (!gzip.write(next.value)) await new Promise((resolve) => gzip.once("drain", resolve));
  }
}
