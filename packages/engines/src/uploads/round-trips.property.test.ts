import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameValue, numberOf } from "./testing/same-value.ts";
import { createWorkspace, withDatabase } from "./testing/workspace.ts";
import { UploadRefused } from "./upload-tasks.ts";

// A failure prints its seed. `QUERYBELL_TEST_SEED=<seed> QUERYBELL_TEST_RUNS=<n>` repeats it, or tries many more.
const seed = Number(process.env.QUERYBELL_TEST_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.QUERYBELL_TEST_RUNS ?? 12);

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });
const sign = fc.constantFrom("", "", "-");
const date = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((value) => value.toISOString().slice(0, 10));
const fraction = fc.option(digits(1, 10), { nil: "" }).map((text) => (text === "" ? "" : `.${text}`));
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fraction)
  .map(
    ([hours, minutes, seconds, rest]) =>
      [hours, minutes, seconds].map((part) => String(part).padStart(2, "0")).join(":") + rest,
  );
const zone = fc.constantFrom("Z", "+05:30", "-0800", "+02", "+05:30:15", " Europe/Berlin");

/** Texts that look alike. Most columns have one kind, so that a type is found for them. */
const pools = {
  whole: fc.tuple(sign, digits(1, 40)).map((parts) => parts.join("")),
  small: fc.integer().map(String),
  number: fc.tuple(sign, digits(1, 25), fc.constant("."), digits(0, 25)).map((parts) => parts.join("")),
  double: fc.double().map(String),
  exponent: fc
    .tuple(sign, digits(1, 18), fc.constantFrom("e", "E-", "e+"), digits(1, 4))
    .map((parts) => parts.join("")),
  boolean: fc.constantFrom("true", "False", "t", "1"),
  date,
  moment: fc.tuple(date, fc.constantFrom(" ", "T"), time).map((parts) => parts.join("")),
  instant: fc.tuple(date, fc.constantFrom(" ", "T"), time, zone).map((parts) => parts.join("")),
  time,
  odd: fc.constantFrom(
    "",
    " 1",
    "+1",
    "1_000",
    "0x1F",
    "1.",
    ".5",
    "-0",
    "NaN",
    "inf",
    "24:00:00",
    "infinity",
    "epoch",
    "NULL",
    '"',
    "a,b",
    "a\r\nb",
    "\\",
    "2024-02-30",
    "0000-01-01",
  ),
  text: fc
    .string({ unit: "grapheme", maxLength: 20 })
    .filter((text) => text.isWellFormed() && !text.includes("\0")),
};
const poolNames = Object.keys(pools) as (keyof typeof pools)[];

type Cell = string | null;
const column = fc
  .tuple(fc.constantFrom(...poolNames), fc.constantFrom(...poolNames))
  .chain(([usual, rare]) =>
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: pools[usual] },
        { weight: 1, arbitrary: pools[rare] },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      { minLength: 4, maxLength: 12 },
    ),
  );

const isJsonNumber = (text: string) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

const writers = {
  csv: (rows: Cell[][]) =>
    rows
      .map((row) => row.map((cell) => (cell === null ? "" : `"${cell.replaceAll('"', '""')}"`)).join())
      .join("\n"),
  /** Numbers are numbers of JSON where they can be. */
  json_lines: (rows: Cell[][]) =>
    rows
      .map((row) => {
        const members = row.map((cell, index) => {
          const value = cell !== null && isJsonNumber(cell) ? cell : JSON.stringify(cell);
          return `"c${index}":${value}`;
        });
        return `{"n":${members.join().slice('"c0":'.length)}}`;
      })
      .join("\n"),
};

function writeTexts(path: string, format: "csv" | "json_lines", rows: Cell[][]) {
  const header = rows[0]?.map((_, index) => (index === 0 ? "n" : `c${index}`)).join();
  writeFileSync(path, format === "csv" ? `${header}\n${writers.csv(rows)}\n` : writers.json_lines(rows));
  return { path, format };
}

const textFiles = fc.array(
  fc.tuple(fc.constantFrom("csv", "json_lines"), fc.array(column, { minLength: 3, maxLength: 3 })),
  {
    minLength: 1,
    maxLength: 3,
  },
);

test("every text that is imported or appended is read back as the same value, or refused", async () => {
  await fc.assert(
    fc.asyncProperty(textFiles, async (files) => {
      using workspace = createWorkspace();
      const expected = new Map<number, { cells: Cell[]; isJson: boolean }>();
      for (const [index, [format, columns]] of files.entries()) {
        const length = Math.min(...columns.map((cells) => cells.length));
        const rows = Array.from({ length }, (_, row) => [
          String(index * 100 + row),
          ...columns.map((cells) => cells[row] ?? null),
        ]);
        const file = writeTexts(workspace.newPath(), format, rows);
        const table = await workspace.change({ mode: index === 0 ? "create" : "append", file });
        if (table instanceof UploadRefused) {
          // Types are found for the first file, so it is never refused.
          expect(index, table.message).toBeGreaterThan(0);
          continue;
        }
        for (const [n, ...cells] of rows) expected.set(Number(n), { cells, isJson: format === "json_lines" });
      }
      const types = await workspace.read(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 't'",
      );
      const typeOf = new Map(types.map(([name, type]) => [String(name), String(type)]));
      const read = await workspace.read(
        "SELECT CAST(n AS INTEGER), CAST(c1 AS VARCHAR), CAST(c2 AS VARCHAR), CAST(c3 AS VARCHAR) FROM t",
      );
      expect(read.length).toBe(expected.size);
      for (const [n, ...values] of read) {
        const { cells, isJson } = expected.get(Number(n)) ?? { cells: [], isJson: false };
        for (const [index, cell] of cells.entries()) {
          const [value, type] = [values[index], typeOf.get(`c${index + 1}`) ?? ""];
          const text = value === null ? null : String(value);
          const isSame =
            cell === null || text === null ? cell === text : isSameCell(cell, text, { type, isJson });
          expect(isSame, `${JSON.stringify(cell)} became ${JSON.stringify(text)} as ${type}`).toBe(true);
        }
      }
    }),
    { seed, numRuns: runs },
  );
});

/** A number of JSON is a number also where it is stored as JSON or text. */
function isSameCell(
  written: string,
  read: string,
  { type, isJson }: { type: string; isJson: boolean },
): boolean {
  const isNumber = isJson && isJsonNumber(written);
  if (type === "JSON" && isJson)
    return isNumber ? numberOf(written) === numberOf(read) : JSON.parse(read) === written;
  if (type === "VARCHAR" && isNumber) return numberOf(written) === numberOf(read);
  return isSameValue(written, read, type === "JSON" ? "VARCHAR" : type);
}

/** Types with values as SQL. */
const typed: Record<string, fc.Arbitrary<string>> = {
  BOOLEAN: fc.boolean().map(String),
  TINYINT: fc.integer({ min: -128, max: 127 }).map(String),
  UBIGINT: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  BIGINT: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  // What a double holds: DuckDB writes HUGEINT as DOUBLE to Parquet.
  HUGEINT: fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map(String),
  "DECIMAL(18,3)": fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }).map((value) => `${value}.125`),
  "DECIMAL(38,20)": fc
    .bigInt({ min: -(10n ** 17n), max: 10n ** 17n })
    .map((value) => `${value}.12345678901234567891`),
  FLOAT: fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => `'${value}'`),
  DOUBLE: fc.double().map((value) => `'${value}'`),
  DATE: date.map((text) => `'${text}'`),
  TIME: fc.nat(86_399_999_999).map((us) => `(TIME '00:00:00' + INTERVAL (${us}) MICROSECOND)`),
  TIME_NS: time.map((text) => `'${text.slice(0, 18)}'`),
  TIMESTAMP: fc.tuple(date, time).map(([day, clock]) => `'${day} ${clock.slice(0, 15)}'`),
  TIMESTAMP_NS: fc.nat({ max: 2 ** 50 }).map((value) => `make_timestamp_ns(${value} * 7919)`),
  "TIMESTAMP WITH TIME ZONE": fc.tuple(date, time).map(([day, clock]) => `'${day} ${clock.slice(0, 15)}+00'`),
  UUID: fc.uuid().map((text) => `'${text}'`),
  VARCHAR: pools.text.map((text) => `'${text.replaceAll("'", "''")}'`),
  BLOB: fc.uint8Array({ maxLength: 8 }).map((bytes) => `from_hex('${Buffer.from(bytes).toString("hex")}')`),
  // Parquet has milliseconds, and no sign.
  INTERVAL: fc
    .tuple(fc.nat(99), fc.nat(1e6))
    .map(([days, ms]) => `(INTERVAL (${days}) DAY + INTERVAL (${ms}) MILLISECOND)`),
  "INTEGER[]": fc.array(fc.integer(), { maxLength: 3 }).map((list) => `[${list.join()}]`),
  "STRUCT(a BIGINT, b VARCHAR)": fc
    .tuple(fc.integer(), fc.constantFrom("x", ""))
    .map(([a, b]) => `{'a': ${a}, 'b': '${b}'}`),
};

const copyOptions = {
  csv: "FORMAT csv, HEADER, FORCE_QUOTE *",
  json_lines: "FORMAT json",
  parquet: "FORMAT parquet",
} as const;

const typedTable = fc.constantFrom(...Object.keys(typed)).chain((type) =>
  fc.record({
    type: fc.constant(type),
    files: fc.array(
      fc.record({
        format: fc.constantFrom(...(Object.keys(copyOptions) as (keyof typeof copyOptions)[])),
        values: fc.array(fc.option(typed[type] ?? fc.constant("NULL"), { nil: "NULL", freq: 6 }), {
          minLength: 1,
          maxLength: 8,
        }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

test("every value of every type is read back as the same value, from every format, or refused", async () => {
  await fc.assert(
    fc.asyncProperty(typedTable, async ({ type, files }) => {
      using workspace = createWorkspace();
      const expected: unknown[][] = [];
      let isCreated = false;
      for (const [index, { format, values }] of files.entries()) {
        const path = workspace.newPath();
        const written = await withDatabase(":memory:", async (connection) => {
          await connection.run(`CREATE TABLE s (n INTEGER, v ${type})`);
          const rows = values.map((value, row) => `(${index * 100 + row}, ${value})`);
          await connection.run(`INSERT INTO s VALUES ${rows.join(", ")}`);
          await connection.run(`COPY s TO '${path}' (${copyOptions[format]})`);
          return (await connection.runAndReadAll("SELECT n, CAST(v AS VARCHAR) FROM s")).getRowsJson();
        });
        const table = await workspace.change({
          mode: isCreated ? "append" : "create",
          file: { path, format },
        });
        if (table instanceof UploadRefused) continue;
        isCreated = true;
        expected.push(...written);
      }
      if (!isCreated) return;
      // Nothing is lost if the value can be cast back to the type that it came from.
      // By way of text, because DuckDB's cast from DOUBLE to DECIMAL is not exact.
      const text = "CASE typeof(v) WHEN 'JSON' THEN CAST(v AS JSON) ->> '$' ELSE CAST(v AS VARCHAR) END";
      const read = await workspace.read(
        `SELECT CAST(n AS INTEGER), CAST(CAST(${text} AS ${type}) AS VARCHAR) FROM t ORDER BY n`,
      );
      expect(read).toEqual(expected);
    }),
    { seed, numRuns: runs * 2 },
  );
});
