import { buffer } from "node:stream/consumers";
import type { FieldType } from "@querybell/domain";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createParquetReader } from "../../testing/parquet-reader.ts";
import { toParquet } from "./to-parquet.ts";

const reader = await createParquetReader();
afterAll(() => reader.close());

const digits = (value: bigint, scale: number): string => {
  const text = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const point = text.length - scale;
  return `${value < 0n ? "-" : ""}${text.slice(0, point)}${scale > 0 ? `.${text.slice(point)}` : ""}`;
};
const decimal = (maxDigits: number, scale: number) =>
  fc
    .bigInt({ min: -(10n ** BigInt(maxDigits)) + 1n, max: 10n ** BigInt(maxDigits) - 1n })
    .map((value) => digits(value, scale));
const integer = (bits: bigint) =>
  fc
    .bigInt({ min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n })
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)));
const date = fc.date({
  min: new Date("0001-01-01T00:00:00Z"),
  max: new Date("9999-12-31T00:00:00Z"),
  noInvalidDate: true,
});
const fraction = (maxDigits: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: maxDigits })
    .map((text) => `.${text}`);
const moment = (maxDigits: number, zone: "" | "Z", dates = date) =>
  fc
    .tuple(dates, fc.oneof(fc.constant(""), fraction(maxDigits)))
    .map(([at, rest]) => `${at.toISOString().slice(0, 19)}${rest}${zone}`);
const recent = fc.date({ min: new Date("1700-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });
const json = fc.jsonValue({ stringUnit: "grapheme" }).filter((value) => value !== null);

interface Kind {
  type: FieldType;
  value: fc.Arbitrary<unknown>;
  /** The type in DuckDB that the column must have. */
  readAs: RegExp;
}

/** The kinds of columns that a result can have, in its published form. */
const kinds: Record<string, Kind> = {
  boolean: { type: "boolean", value: fc.boolean(), readAs: /^BOOLEAN$/ },
  "small integer": { type: "integer", value: fc.integer(), readAs: /^BIGINT$/ },
  integer: { type: "integer", value: integer(64n), readAs: /^BIGINT$/ },
  "huge integer": { type: "integer", value: integer(126n), readAs: /^BIGINT$|^DECIMAL\(38,0\)$/ },
  number: {
    type: "number",
    value: fc.double().map((value) => (Number.isFinite(value) ? value + 0 : String(value))),
    readAs: /^DOUBLE$/,
  },
  "small decimal": { type: "decimal", value: decimal(9, 2), readAs: /^DECIMAL\(\d+,[02]\)$/ },
  decimal: { type: "decimal", value: decimal(38, 9), readAs: /^DECIMAL\(\d+,[09]\)$/ },
  "decimal of many scales": {
    type: "decimal",
    value: fc.nat(10).chain((scale) => decimal(20, scale)),
    readAs: /^DECIMAL\(\d+,\d+\)$/,
  },
  "decimal or NaN": {
    type: "decimal",
    value: fc.oneof(decimal(9, 2), fc.constantFrom("NaN", "Infinity")),
    readAs: /^VARCHAR$|^DECIMAL/,
  },
  string: { type: "string", value: fc.string({ unit: "grapheme" }), readAs: /^VARCHAR$/ },
  category: { type: "string", value: fc.constantFrom("a", "", "ä😀", "b\n\"'"), readAs: /^VARCHAR$/ },
  date: { type: "date", value: date.map((at) => at.toISOString().slice(0, 10)), readAs: /^DATE$/ },
  time: {
    type: "time",
    value: fc.nat(86_399_999).map((ms) => new Date(ms).toISOString().slice(11, 23)),
    readAs: /^TIME$/,
  },
  timestamp: { type: "timestamp", value: moment(6, ""), readAs: /^TIMESTAMP$/ },
  "timestamp with a zone": {
    type: "timestamp",
    value: moment(6, "Z"),
    readAs: /^TIMESTAMP( WITH TIME ZONE)?$/,
  },
  "timestamp in nanoseconds": {
    type: "timestamp",
    value: moment(9, "", recent),
    readAs: /^TIMESTAMP(_NS)?$/,
  },
  json: { type: "json", value: json, readAs: /^JSON$/ },
  binary: {
    type: "binary",
    value: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    readAs: /^BLOB$/,
  },
};

const table = fc
  .array(fc.constantFrom(...Object.keys(kinds)), { minLength: 1, maxLength: 6 })
  .chain((names) =>
    fc.record({
      names: fc.constant(names),
      rows: fc.array(
        fc.tuple(
          ...names.map((name) => fc.option(kinds[name]?.value ?? fc.constant(null), { nil: null, freq: 5 })),
        ),
        { maxLength: 60 },
      ),
    }),
  );

/** The text of a value in DuckDB, computed by DuckDB from the published form. */
const publishedText = (value: unknown, type: FieldType): string | null => {
  if (value === null) return null;
  return type === "json" || typeof value !== "string" ? JSON.stringify(value) : value;
};

test("any table that is written as Parquet has the same types and values in DuckDB", async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ names, rows }) => {
      const fields = names.map((name) => ({ name, type: kinds[name]?.type ?? ("string" as const) }));
      const bytes = Buffer.from(JSON.stringify({ fields, rows, rowCount: rows.length }));
      const read = async () => inPieces(bytes);
      const file = await toParquet(read, new AbortController().signal);
      const found = await reader.read(await buffer(file));
      expect(found.columns.map(({ type }) => type)).toEqual(
        names.map((name) => expect.stringMatching(kinds[name]?.readAs ?? /never/)),
      );
      expect(new Set(found.columns.map(({ name }) => name)).size).toBe(names.length);
      for (const [at, { type }] of found.columns.entries()) {
        const published = rows.map((row) => publishedText(row[at], fields[at]?.type ?? "string"));
        expect(found.values[at]).toEqual(await reader.castTexts(published, type));
      }
    }),
  );
});

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
