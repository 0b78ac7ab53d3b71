import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { uploadFile } from "../testing/send-upload.ts";
import { uploadTest } from "../testing/upload-test.ts";

// A failure prints its seed. `QUERYBELL_TEST_SEED=<seed> QUERYBELL_TEST_RUNS=<n>` repeats it, or tries many more.
const seed = Number(process.env.QUERYBELL_TEST_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.QUERYBELL_TEST_RUNS ?? 2);

/** Values of each type as SQL, and the type that is chosen for their column. */
const kinds = {
  text: {
    type: "VARCHAR",
    value: fc.string({ unit: "grapheme", maxLength: 30 }).filter(isStorable).map(quoted),
  },
  "odd text": {
    type: "VARCHAR",
    value: fc
      .constantFrom(
        "''",
        "'\"'",
        "'a,b'",
        "'a;b\tc|d'",
        "'l1\nl2'",
        "'\r\n'",
        "'007'",
        "'NULL'",
        "'  '",
        "'\\'",
      )
      .map(String),
  },
  integer: { type: "BIGINT", value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) },
  number: {
    type: "DOUBLE",
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `${value}::DOUBLE`),
  },
  decimal: {
    type: "DECIMAL(38,9)",
    value: fc
      .bigInt({ min: -(10n ** 27n), max: 10n ** 27n })
      .map((value) => `(${value}::HUGEINT / 1)::DECIMAL(38,9)`),
  },
  boolean: { type: "BOOLEAN", value: fc.boolean().map(String) },
  date: { type: "DATE", value: day().map((text) => `DATE '${text}'`) },
  time: {
    type: "TIME",
    value: fc.nat(86_399_999).map((ms) => `TIME '${new Date(ms).toISOString().slice(11, 23)}'`),
  },
  timestamp: { type: "TIMESTAMP", value: moment().map((text) => `TIMESTAMP '${text}'`) },
} as const;
type Kind = keyof typeof kinds;

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
function moment() {
  const [min, max] = [new Date("1000-01-01T00:00:00Z"), new Date("9000-01-01T00:00:00Z")];
  return fc
    .date({ min, max, noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 23).replace("T", " "));
}
function day() {
  return moment().map((text) => text.slice(0, 10));
}

const table = fc
  .array(fc.constantFrom(...(Object.keys(kinds) as Kind[])), { minLength: 6, maxLength: 12 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      rows: fc.array(
        fc.tuple(...columns.map((kind) => fc.option(kinds[kind].value, { nil: "NULL", freq: 6 }))),
        {
          minLength: 1,
          maxLength: 30,
        },
      ),
    }),
  );

const formats = {
  csv: { ending: "csv", options: "FORMAT csv, HEADER, FORCE_QUOTE *" },
  json_lines: { ending: "jsonl", options: "FORMAT json" },
  parquet: { ending: "parquet", options: "FORMAT parquet" },
} as const;

/** Another DuckDB writes the file, and says what is in it. */
async function writeTable(
  { columns, rows }: { columns: Kind[]; rows: string[][] },
  { ending, options }: (typeof formats)[keyof typeof formats],
) {
  const folder = mkdtempSync(join(tmpdir(), "querybell-random-table-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const definitions = columns.map((kind, index) => `c${index} ${kinds[kind].type}`);
    await connection.run(`CREATE TABLE t (n BIGINT, ${definitions.join(", ")})`);
    const values = rows.map((row, index) => `(${[index, ...row].join(", ")})`);
    await connection.run(`INSERT INTO t VALUES ${values.join(", ")}`);
    const path = join(folder, `file.${ending}`);
    await connection.run(`COPY t TO '${path}' (${options})`);
    const texts = columns.map((_, index) => `CAST(c${index} AS VARCHAR)`);
    const sql = `SELECT ${texts.join(", ")} FROM t ORDER BY n`;
    const reader = await connection.runAndReadAll(sql);
    return { content: new Uint8Array(readFileSync(path)), expected: reader.getRowsJson(), texts };
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("a random table is read back with the same values, uploaded as", () => {
  for (const [format, written] of Object.entries(formats)) {
    uploadTest(format, async ({ api, make, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const client = await api.signedIn(owner);
      await fc.assert(
        fc.asyncProperty(table, async ({ columns, rows }) => {
          const { content, expected, texts } = await writeTable({ columns, rows }, written);
          const { id } = await uploadFile(api, { name: `t.${written.ending}`, content, headers });
          const types = Object.fromEntries(columns.map((kind, index) => [`c${index}`, kinds[kind].type]));
          await client.uploads.import.mutate({ id, table: "t", mode: "replace", types });
          const read = await uploads.rows(owner, `SELECT ${texts.join(", ")} FROM t ORDER BY n`);
          expect(read).toEqual(expected);
        }),
        { seed, numRuns: runs },
      );
    });
  }
});
