import { buffer } from "node:stream/consumers";
import { createGunzip, gzipSync } from "node:zlib";
import type { Field } from "@querybell/domain";
import { afterAll, describe, expect, test } from "vitest";
import { longestBlock, maxBlockMs } from "../../testing/index.ts";
import { createParquetReader } from "../../testing/parquet-reader.ts";
import { toParquet } from "./to-parquet.ts";

const reader = await createParquetReader();
afterAll(() => reader.close());

const never = new AbortController().signal;
const fields: Field[] = [
  { name: "n", type: "integer" },
  { name: "price", type: "decimal" },
  { name: "at", type: "timestamp" },
  { name: "text", type: "string" },
  { name: "flag", type: "boolean" },
  { name: "ratio", type: "number" },
];
const rowOf = (n: number) => [
  n,
  `${n}.25`,
  new Date(n * 1000).toISOString(),
  `row ${n} of many, with a text`,
  n % 2 === 0,
  n / 7,
];

/** The JSON of a result in pieces. Counts those that were read. */
function createSource(rowCount: number) {
  const source = {
    pieces: 0,
    async *read(): AsyncGenerator<Uint8Array> {
      source.pieces++;
      yield Buffer.from(`{"fields":${JSON.stringify(fields)},"rows":[`);
      for (let from = 0; from < rowCount; from += 200) {
        const rows = Array.from({ length: Math.min(200, rowCount - from) }, (_, at) =>
          JSON.stringify(rowOf(from + at)),
        );
        source.pieces++;
        yield Buffer.from(`${from === 0 ? "" : ","}${rows.join(",")}`);
        // Lets other work of the process run, as a real stream does.
        await new Promise(setImmediate);
      }
      yield Buffer.from(`],"rowCount":${rowCount}}`);
    },
  };
  return source;
}

/** As it is stored. */
const resultOf = (columns: Field[], rows: unknown[][]) => {
  const stored = gzipSync(JSON.stringify({ fields: columns, rows, rowCount: rows.length }));
  return async () => {
    const inflated = createGunzip();
    inflated.end(stored);
    return inflated;
  };
};

const write = async (columns: Field[], rows: unknown[][]) => {
  const read = resultOf(columns, rows);
  return buffer(await toParquet(read, never));
};
const readBack = async (columns: Field[], rows: unknown[][]) => reader.read(await write(columns, rows));

describe("a large result", () => {
  const rowCount = 100_000;

  test("is written in row groups while it is read, without blocking the event loop", async () => {
    let written: Uint8Array[] = [];
    const blockedMs = await longestBlock(async () => {
      const source = createSource(rowCount);
      written = [];
      let piecesAtFirstBytes = 0;
      const file = await toParquet(async () => source.read(), never);
      const piecesOfTypes = source.pieces;
      for await (const bytes of file) {
        if (written.length === 0) piecesAtFirstBytes = source.pieces - piecesOfTypes;
        written.push(bytes);
      }
      expect(piecesAtFirstBytes).toBeLessThan(piecesOfTypes / 4);
    });
    expect(blockedMs).toBeLessThan(maxBlockMs);
    // Nothing of the size of the result is held: each write is a column of one row group.
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(4 * 1024 ** 2);
    const { columns, values } = await reader.read(Buffer.concat(written));
    expect(columns.map(({ type }) => type)).toEqual([
      "BIGINT",
      "DECIMAL(7,2)",
      "TIMESTAMP WITH TIME ZONE",
      "VARCHAR",
      "BOOLEAN",
      "DOUBLE",
    ]);
    expect(values[0]).toEqual(Array.from({ length: rowCount }, (_, n) => String(n)));
    expect(values[1]?.[99_999]).toBe("99999.25");
    expect(values[2]?.[86_401]).toBe("1970-01-02 00:00:01+00");
  });

  test("is read no further once nobody wants the file", async () => {
    const source = createSource(rowCount);
    const file = await toParquet(async () => source.read(), never);
    await file.next();
    await file.return(undefined);
    const { pieces } = source;
    await new Promise(setImmediate);
    expect(source.pieces).toBe(pieces);
    expect(pieces).toBeLessThan(2 * (rowCount / 200));
  });

  test("is read no further if the client leaves before its types are known", async () => {
    const source = createSource(rowCount);
    const leaving = new AbortController();
    const file = toParquet(async () => source.read(), leaving.signal);
    leaving.abort();
    await expect(file).rejects.toThrow("The client has left.");
    expect(source.pieces).toBeLessThan(3);
  });
});

test("texts and JSON of some megabytes do not block the event loop, and larger rows are refused", async () => {
  const columns: Field[] = [
    { name: "text", type: "string" },
    { name: "nested", type: "json" },
  ];
  const text = "a text that repeats, ä😀 ".repeat(80_000);
  const nested = Array.from({ length: 200_000 }, (_, n) => n);
  const rows = [
    [text, nested],
    [`${text}2`, [1]],
    [text, null],
  ];
  const read = resultOf(columns, rows);
  let file = Buffer.alloc(0);
  const blockedMs = await longestBlock(async () => {
    file = await buffer(await toParquet(read, never));
  });
  const { values } = await reader.read(file);
  expect(values[0]?.[1] === `${text}2`).toBe(true);
  expect(values[1]?.[0] === JSON.stringify(nested)).toBe(true);
  expect(blockedMs).toBeLessThan(maxBlockMs);
  await expect(write(columns, [[text.repeat(3), null]])).rejects.toMatchObject({ code: "payload_too_large" });
});

test("a result without rows is a file with its columns, and one without columns is refused", async () => {
  const { columns, values } = await readBack(fields, []);
  expect(columns.map(({ name }) => name)).toEqual(fields.map(({ name }) => name));
  expect(values).toEqual(fields.map(() => []));
  await expect(readBack([], [[], []])).rejects.toMatchObject({ code: "invalid_request" });
});

test("names that repeat or are empty are told apart", async () => {
  const named = ["a", "a", "a_1", "", "A b."].map((name): Field => ({ name, type: "integer" }));
  const { columns, values } = await readBack(named, [[1, 2, 3, 4, 5]]);
  expect(columns.map(({ name }) => name)).toEqual(["a", "a_1", "a_1_1", "column", "A b."]);
  expect(values).toEqual([["1"], ["2"], ["3"], ["4"], ["5"]]);
});

const cases: [what: string, type: Field["type"], values: unknown[], readAs: string, texts: string[]][] = [
  ["an integer of 39 digits", "integer", [1, "1".repeat(39)], "VARCHAR", ["1", "1".repeat(39)]],
  ["integers of 38 digits", "integer", [1, "9".repeat(38)], "DECIMAL(38,0)", ["1", "9".repeat(38)]],
  ["a decimal that is not a number", "decimal", ["1.50", "NaN"], "VARCHAR", ["1.50", "NaN"]],
  ["decimals of 39 digits in all", "decimal", ["1".repeat(38), "0.1"], "VARCHAR", ["1".repeat(38), "0.1"]],
  ["an infinite date", "date", ["2024-02-29", "infinity"], "VARCHAR", ["2024-02-29", "infinity"]],
  ["a date before Christ", "date", ["-000043-03-15"], "DATE", ["0044-03-15 (BC)"]],
  ["a date after 9999", "date", ["+012024-01-01"], "DATE", ["12024-01-01"]],
  ["an infinite timestamp", "timestamp", ["-infinity"], "VARCHAR", ["-infinity"]],
  [
    "picoseconds",
    "timestamp",
    ["2024-02-29T10:00:00.123456789012"],
    "VARCHAR",
    ["2024-02-29T10:00:00.123456789012"],
  ],
  [
    "nanoseconds beside a year that they cannot hold",
    "timestamp",
    ["2024-02-29T10:00:00.123456789", "1000-01-01T00:00:00"],
    "VARCHAR",
    ["2024-02-29T10:00:00.123456789", "1000-01-01T00:00:00"],
  ],
  ["a time with a zone", "time", ["10:00:00+02:00"], "VARCHAR", ["10:00:00+02:00"]],
  ["the end of the day", "time", ["24:00:00"], "VARCHAR", ["24:00:00"]],
  ["numbers that are none", "number", [0.1, "NaN", "-Infinity"], "DOUBLE", ["0.1", "nan", "-inf"]],
  ["a key named __proto__", "json", [JSON.parse('{"__proto__":1}')], "JSON", ['{"__proto__":1}']],
];

test.each(cases)("%s keeps its value", async (_, type, values, readAs, texts) => {
  const found = await readBack(
    [{ name: "c", type }],
    values.map((value) => [value]),
  );
  expect(found).toEqual({ columns: [{ name: "c", type: readAs }], values: [texts] });
});
