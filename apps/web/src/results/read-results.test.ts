import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readResults, unzippedBytes } from "./read-results.ts";

const bodyOf = (name: string, rows: number) => ({
  fields: [{ name, type: "string" }],
  rows: Array.from({ length: rows }, (_, at) => [`${name} ${at}: äöü\n`]),
});

/** As the api sends several results. */
const toBytes = (bodies: Record<string, object>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(
      Object.entries(bodies).flatMap(([runId, body]) => {
        const bytes = gzipSync(JSON.stringify(body));
        return [Buffer.from(`${JSON.stringify({ runId, bytes: bytes.length })}\n`), bytes];
      }),
    ),
  );

test("several results are read in their order, and tell how large they are before that", async () => {
  const bodies = { one: bodyOf("a", 3), none: bodyOf("b", 0), many: bodyOf("c", 5000) };
  const bytes = toBytes(bodies);
  expect(await readResults(bytes)).toEqual(Object.entries(bodies).map(([runId, body]) => ({ runId, body })));
  const sizes = Object.values(bodies).map((body) => Buffer.byteLength(JSON.stringify(body)));
  expect(unzippedBytes(bytes)).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(await readResults(new Uint8Array())).toEqual([]);
  expect(unzippedBytes(new Uint8Array())).toBe(0);
});

test("what is no result is refused", async () => {
  await expect(readResults(toBytes({ one: { detail: "It has expired." } }))).rejects.toThrow(
    "It has expired.",
  );
});
