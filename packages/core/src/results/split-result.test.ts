import fc from "fast-check";
import { expect, test } from "vitest";
import { splitResult } from "./split-result.ts";

/** Splits the bytes into chunks of these sizes, repeated. */
async function* inPieces(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("any result is split into its fields and rows, wherever its chunks begin", async () => {
  const fields = fc.array(fc.record({ name: fc.string({ unit: "grapheme" }), type: fc.constant("json") }));
  const rows = fc.array(fc.array(fc.jsonValue({ stringUnit: "grapheme" })), { maxLength: 20 });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fields, rows, sizes, async (givenFields, givenRows, givenSizes) => {
      const json = JSON.stringify({ fields: givenFields, rows: givenRows, rowCount: givenRows.length });
      const found = { field: [] as unknown[], row: [] as unknown[] };
      for await (const { kind, text } of splitResult(inPieces(Buffer.from(json), givenSizes))) {
        if (kind === "piece of a row") throw new Error("So small a row comes whole.");
        found[kind].push(JSON.parse(text));
      }
      expect(JSON.stringify(found)).toBe(JSON.stringify({ field: givenFields, row: givenRows }));
    }),
  );
});

/** Text of this many mebibytes, as a stored result of a hostile engine host can be. */
async function* largeText(start: string, repeated: string, mebibytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(start);
  const block = Buffer.from(repeated.repeat(1024 ** 2 / repeated.length));
  for (let count = 0; count < mebibytes; count++) yield block;
}

test.each([
  ["a field without end", '{"fields":[{"name":"', "x"],
  ["fields without end", '{"fields":[', '{"name":"x","type":"json"},      '],
])("%s is refused before it fills the memory", async (_, start, repeated) => {
  const parts = splitResult(largeText(start, repeated, 48));
  const read = async () => {
    for await (const _part of parts);
  };
  await expect(read()).rejects.toThrow("more fields than it can have");
});
