import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { lossyParquet, unreadableParquet } from "./testing/odd-parquet.ts";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

const refused = (message: RegExp, reason = "unreadable") => ({
  kind: "refused",
  refusal: expect.objectContaining({ reason, message: expect.stringMatching(message) }),
});

/** A Parquet file with the rows of a query. */
async function parquetOf(folder: string, query: string): Promise<Uint8Array> {
  mkdirSync(folder, { recursive: true });
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const path = join(folder, "written.parquet");
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return readFileSync(path);
}

test("values that come late make a wider type, and none is rounded, cut or shifted", async () => {
  using space = createUploadWorkspace();
  const usual = Array.from({ length: 260_000 }, () => "1,2024-01-01 10:00:00,2024-01-01,1234");
  const file = space.file(
    [
      "number,moment,day,zip",
      ...usual,
      "1.5,2024-01-01T10:00:00+05:30,2024-01-01 23:00:00,01234",
      "2,,,5",
    ].join("\n"),
  );
  await space.change(importOf(file));
  expect(
    await space.read("SELECT DISTINCT CAST(COLUMNS(*) AS VARCHAR) FROM sales ORDER BY number, zip"),
  ).toEqual([
    ["1.0", "2024-01-01 10:00:00", "2024-01-01 00:00:00", "1234"],
    ["1.5", "2024-01-01T10:00:00+05:30", "2024-01-01 23:00:00", "01234"],
    ["2.0", null, null, "5"],
  ]);
});

describe("a value that the table's type does not hold is not appended:", () => {
  const first = { a: 1, b: "2024-01-01", c: "2024-01-01 10:00:00" };
  const table = "a,b,c\n1,2024-01-01,2024-01-01 10:00:00\n";
  const csv = (row: string) => ["csv", `a,b,c\n${row}\n`] as const;
  const json = (row: object) => ["json_lines", JSON.stringify({ ...first, ...row })] as const;
  const parquet = (row: string) => ["parquet", row] as const;
  test.for([
    [
      csv("2.5,2024-01-01,2024-01-01 10:00:00"),
      /^Line 2: “2\.5” in the column a cannot be stored exactly as BIGINT/,
    ],
    [csv("01234,2024-01-01,2024-01-01 10:00:00"), /^Line 2: “01234” in the column a/],
    [
      csv("1,2024-01-01 23:00:00,2024-01-01 10:00:00"),
      /^Line 2: “2024-01-01 23:00:00” in the column b .* as DATE/,
    ],
    [csv("1,2024-01-01,2024-01-01T10:00:00+05:30"), /^Line 2: “.*\+05:30” in the column c .* as TIMESTAMP/],
    [json({ a: 2.5 }), /^Line 1: “2\.5” in the column a/],
    [json({ a: [1] }), /^Line 1: “\[1\]” in the column a/],
    [json({ c: "2024-01-01 10:00:00.1234567" }), /^Line 1: “.*” in the column c/],
    [
      parquet("SELECT 2.5 AS a, DATE '2024-01-01' AS b, TIMESTAMP '2024-01-01 10:00:00' AS c"),
      /^Row 1: “2\.5” in the column a/,
    ],
    [
      parquet("SELECT 1e300::DOUBLE AS a, DATE '2024-01-01' AS b, NULL::TIMESTAMP AS c"),
      /^Row 1: “1e\+300” in the column a/,
    ],
    [
      parquet("SELECT 1 AS a, TIMESTAMP '2024-01-01 23:00:00' AS b, NULL::TIMESTAMP AS c"),
      /^Row 1: .* in the column b/,
    ],
    [
      parquet("SELECT 1 AS a, NULL::DATE AS b, TIMESTAMPTZ '2024-01-01 23:00:00+00' AS c"),
      /^Row 1: .* in the column c/,
    ],
    [parquet("SELECT true AS a, NULL::DATE AS b, NULL::TIMESTAMP AS c"), /^Row 1: “true” in the column a/],
    [parquet("SELECT '007' AS a, NULL::DATE AS b, NULL::TIMESTAMP AS c"), /^Row 1: “007” in the column a/],
  ] as const)("%j", async ([[format, content], message]) => {
    using space = createUploadWorkspace();
    await space.change(importOf(space.file(table)));
    const written = format === "parquet" ? await parquetOf(space.root, content) : content;
    expect(await space.change(importOf(space.file(written, format), { mode: "append" }))).toEqual(
      refused(message),
    );
    expect(await space.read("SELECT count(*) FROM sales")).toEqual([["1"]]);
  });

  test("what it holds is appended from every format", async () => {
    using space = createUploadWorkspace();
    await space.change(importOf(space.file(table)));
    for (const [format, content] of [
      csv("2,2024-01-02,2024-01-02"),
      json({ a: "3" }),
      [
        "parquet",
        await parquetOf(space.root, "SELECT 4.0 AS a, TIMESTAMP '2024-01-04' AS b, DATE '2024-01-04' AS c"),
      ],
    ] as const) {
      expect(await space.change(importOf(space.file(content, format), { mode: "append" }))).toMatchObject({
        kind: "changed",
      });
    }
    expect(
      await space.read("SELECT a, CAST(b AS VARCHAR), CAST(c AS VARCHAR) FROM sales ORDER BY a"),
    ).toEqual([
      ["1", "2024-01-01", "2024-01-01 10:00:00"],
      ["2", "2024-01-02", "2024-01-02 00:00:00"],
      ["3", "2024-01-01", "2024-01-01 10:00:00"],
      ["4", "2024-01-04", "2024-01-04 00:00:00"],
    ]);
  });
});

test("line breaks in names and values of CSV are kept, whatever ends the lines", async () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    using space = createUploadWorkspace();
    const rows = ['"a\r\nb",c', '1,"x\ny"', '2,"x\ry"', '3,"x\r\ny"', ""];
    await space.change(importOf(space.file(rows.join(end))));
    expect(await space.read('SELECT "a\r\nb", c FROM sales')).toEqual([
      ["1", "x\ny"],
      ["2", "x\ry"],
      ["3", "x\r\ny"],
    ]);
  }
});

describe("a date that can be read in two orders", () => {
  const ambiguous = "day\n01/02/2024\n03/04/2024\n";

  test("is asked about, and refused without an answer", async () => {
    using space = createUploadWorkspace();
    const file = space.file(ambiguous);
    const question = { column: "day", written: "01/02/2024", dmy: "2024-02-01", mdy: "2024-01-02" };
    expect(await space.preview(file)).toMatchObject({
      kind: "previewed",
      preview: {
        columns: [{ name: "day", type: "DATE" }],
        rows: [["01/02/2024"], ["03/04/2024"]],
        ambiguousDates: [question],
      },
    });
    expect(await space.preview(file, {}, { dateOrder: "mdy" })).toMatchObject({
      preview: { rows: [["2024-01-02"], ["2024-03-04"]], ambiguousDates: [question] },
    });
    expect(await space.change(importOf(file))).toEqual(
      refused(/^In the column day, 01\/02\/2024 can be 2024-02-01 or 2024-01-02, .* Send dateOrder/),
    );
  });

  test("is read in the order that was sent, and the table remembers it", async () => {
    using space = createUploadWorkspace();
    const file = space.file(ambiguous);
    expect(await space.change(importOf(file, { dateOrder: "mdy" }))).toMatchObject({
      changed: { table: { columns: [{ name: "day", type: "DATE", dateOrder: "mdy" }] } },
    });
    await space.change(importOf(space.file("day\n05/06/2024\n"), { mode: "append" }));
    expect(await space.change(importOf(space.file("day\n13/06/2024\n"), { mode: "append" }))).toEqual(
      refused(
        /^Line 2: “13\/06\/2024” in the column day cannot be stored exactly as DATE\. It is read with the month first\. If the day is first, send dateOrder: dmy\./,
      ),
    );
    // Another order for one file.
    await space.change(importOf(space.file("day\n07/08/2024\n"), { mode: "append", dateOrder: "dmy" }));
    expect(await space.read("SELECT CAST(day AS VARCHAR) FROM sales ORDER BY day")).toEqual([
      ["2024-01-02"],
      ["2024-03-04"],
      ["2024-05-06"],
      ["2024-08-07"],
    ]);
  });

  test("is decided by another value of its column, which the table remembers too", async () => {
    using space = createUploadWorkspace();
    await space.change(importOf(space.file("day,same\n01/02/2024,05/05/2024\n31/01/2024,\n")));
    expect(
      await space.change(importOf(space.file("day,same\n01/02/2024,\n"), { mode: "append" })),
    ).toMatchObject({
      changed: { table: { rowCount: 3, columns: [{ dateOrder: "dmy" }, { name: "same", type: "DATE" }] } },
    });
    // A day that is the same in both orders tells nothing about the next file.
    expect(await space.change(importOf(space.file("day,same\n,01/02/2024\n"), { mode: "append" }))).toEqual(
      refused(/^In the column same, 01\/02\/2024 can be/),
    );
  });
});

describe("names that every object of JavaScript has", () => {
  const names = ["toString", "constructor", "__proto__", "hasOwnProperty"];
  test.for(["csv", "json_lines", "parquet"] as const)("are names of columns in %s", async (format) => {
    using space = createUploadWorkspace();
    const content = {
      csv: async () => `${names.join()}\n1,2,3,4\n`,
      json_lines: async () => `{${names.map((name, index) => `"${name}":${index + 1}`).join()}}`,
      parquet: () =>
        parquetOf(space.root, `SELECT ${names.map((name, index) => `${index + 1} AS "${name}"`).join()}`),
    };
    const file = space.file(await content[format](), format);
    expect(await space.preview(file, { toString: "VARCHAR" })).toMatchObject({
      preview: { columns: names.map((name) => ({ name })), rows: [["1", "2", "3", "4"]] },
    });
    expect(await space.change(importOf(file))).toMatchObject({ kind: "changed" });
    expect(await space.read("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM sales")).toEqual([["1", "2", "3", "4"]]);
  });
});

describe("JSON lines are refused with the line:", () => {
  test.for([
    ["a key twice", '{"a":1}\n\n{"a":1,"b":2,"a":3}\n', /^Line 3 has the key a twice/],
    ["half a surrogate pair", '{"a":"x"}\n{"a":"\\ud800"}\n', /^Line 2 has half of a surrogate pair/],
    ["no object", '{"a":"x\u2028y"}\n5\n', /^Line 2 is not an object of JSON/],
    ["a long line", `{"a":1}\n{"a":"${"x".repeat(34_000_000)}"}`, /^Line 2 is longer than the 16 MiB/],
    ["nothing", "{}\n{}\n", /^The file has no values/],
    ["NUL in a key", '{"a\\u0000":1}', /^The name of column 1 contains a NUL character/],
  ] as const)("%s", async ([_, content, message]) => {
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(content, "json_lines"))).toEqual(refused(message));
  });
});

describe("Parquet that would lose digits is refused:", () => {
  test.for(Object.entries(lossyParquet))("%s", async ([_, base64]) => {
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(Buffer.from(base64, "base64"), "parquet"))).toEqual(
      refused(/^The column v has (?:decimals of more than 38 digits|nanoseconds, which would be lost)/),
    );
  });
});

describe("Parquet is refused that", () => {
  test.for([
    ["a column twice", /^Columns 1 and 2 have the same name, V/],
    ["a field twice", /^Columns 1 and 2 have the same name, V/],
    ["a column without a name", /^Column 1 has no name/],
    ["BSON", /^The file cannot be read as Parquet: Unsupported converted type/],
  ] as const)("has %s", async ([name, message]) => {
    using space = createUploadWorkspace();
    const file = space.file(Buffer.from(unreadableParquet[name], "base64"), "parquet");
    expect(await space.preview(file)).toEqual(refused(message));
  });
});

test("a column of FLOAT takes the numbers that it holds", async () => {
  using space = createUploadWorkspace();
  const table = await parquetOf(space.root, "SELECT 1.5::FLOAT AS a");
  await space.change(importOf(space.file(table, "parquet")));
  await space.change(importOf(space.file("a\n1\n2.50\n16777216\n0.1\n"), { mode: "append" }));
  expect(await space.read("SELECT CAST(a AS VARCHAR) FROM sales")).toEqual([
    ["1.5"],
    ["1.0"],
    ["2.5"],
    ["16777216.0"],
    ["0.1"],
  ]);
  expect(await space.change(importOf(space.file("a\n16777217\n"), { mode: "append" }))).toEqual(
    refused(/^Line 2: “16777217” in the column a cannot be stored exactly as FLOAT/),
  );
});

test("a value that a chosen type does not hold is named in the order of the other dates, and cut between characters", async () => {
  using space = createUploadWorkspace();
  const types = { day: "DATE" };
  expect(await space.preview(space.file("day\n01/31/2024\n02/28/2024\nnever\n"), types)).toEqual(
    refused(/^Line 4: “never” in the column day/),
  );
  expect(await space.preview(space.file(`day\n${"x".repeat(99)}😀😀\n`), types)).toEqual(
    refused(/^Line 2: “x{99}😀…” in the column day/),
  );
});

test("no error names a path of the server", async () => {
  using space = createUploadWorkspace();
  const broken = [
    ["csv", "a,b\n1,2,3\n"],
    ["csv", "a,b\r1,2\n3,4\r\n5,6\r"],
    ["csv", 'a\n"x"y\n'],
    ["csv", `a,b\n${"x".repeat(3_000_000)},1\n`],
    ["json_lines", "{"],
    ["json_lines", '{"a":"\u0001"}'],
    ["json_lines", `{"a":"${"x".repeat(17_000_000)}"}`],
    ["parquet", "PAR1xxxxPAR1"],
    ["parquet", ""],
  ] as const;
  for (const [format, content] of broken) {
    const outcome = await space.preview(space.file(content, format));
    expect(outcome).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(outcome)).not.toMatch(/\/tmp|querybell-|\.duckdb|[0-9a-f]{8}-[0-9a-f]{4}/);
  }
});
