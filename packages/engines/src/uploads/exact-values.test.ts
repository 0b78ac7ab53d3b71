import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "./testing/workspace.ts";
import { UploadRefused } from "./upload-tasks.ts";

/** Values as they are written, the type that holds all of them, and what is read back. */
type Case = readonly [written: readonly string[], type: string, readBack: readonly (string | null)[]];

/** Imports a file in which each case is a column, and reads the types and the texts of the columns. */
async function importCases(cases: readonly Case[], format: "csv" | "json_lines") {
  using workspace = createWorkspace();
  const path = workspace.newPath();
  writeFileSync(path, writers[format](cases));
  const table = await workspace.change({ mode: "create", file: { path, format } });
  if (!table || table instanceof UploadRefused) throw table ?? new Error("There is no table.");
  const read = await workspace.read("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM t");
  return cases.map(([written], column) => ({
    type: table.columns[column]?.type,
    values: read.slice(0, written.length).map((row) => row[column]),
  }));
}

const longest = (cases: readonly Case[]) => Math.max(...cases.map(([written]) => written.length));
const writers = {
  csv: (cases: readonly Case[]) =>
    [
      cases.map((_, column) => `c${column}`).join(),
      ...Array.from({ length: longest(cases) }, (_, row) =>
        cases.map(([written]) => (written[row] === undefined ? "" : `"${written[row]}"`)).join(),
      ),
    ].join("\n"),
  json_lines: (cases: readonly Case[]) =>
    Array.from({ length: longest(cases) }, (_, row) => {
      const members = cases.map(([written], column) => `"c${column}": ${written[row] ?? "null"}`);
      return `{${members.join(", ")}}`;
    }).join("\n"),
};

const asText = (...values: string[]): Case => [values, "VARCHAR", values];

describe("values of CSV are held exactly:", async () => {
  const cases: Case[] = [
    [["1", "-5", "0"], "BIGINT", ["1", "-5", "0"]],
    [
      ["9223372036854775807", "-9223372036854775808"],
      "BIGINT",
      ["9223372036854775807", "-9223372036854775808"],
    ],
    [["1", "9223372036854775808"], "HUGEINT", ["1", "9223372036854775808"]],
    asText("170141183460469231731687303715884105728", "1"),
    [["1", "1.5"], "DOUBLE", ["1.0", "1.5"]],
    [["1.10", "0.1"], "DOUBLE", ["1.1", "0.1"]],
    [["0.14285714285714285", "12345.678"], "DOUBLE", ["0.14285714285714285", "12345.678"]],
    [["0.14285714285714284921", "1"], "DECIMAL(21,20)", ["0.14285714285714284921", "1.00000000000000000000"]],
    [["9007199254740993", "1.5"], "DECIMAL(17,1)", ["9007199254740993.0", "1.5"]],
    [["12345678901234567890.123"], "DECIMAL(23,3)", ["12345678901234567890.123"]],
    asText("1234567890123456789012345678901234567890.5", "1"),
    [["1e5", "1.5E-7", "2"], "DOUBLE", ["100000.0", "1.5e-07", "2.0"]],
    [["0.00000015", "1e+22", "10000000000000000000000"], "DOUBLE", ["1.5e-07", "1e+22", "1e+22"]],
    asText("1e400", "1"),
    asText("1e-400", "1"),
    [["-0", "1"], "DOUBLE", ["-0.0", "1.0"]],
    [["NaN", "1.5", "-inf"], "DOUBLE", ["nan", "1.5", "-inf"]],
    ...[
      "01234",
      "-01",
      "007.5",
      "+1",
      " 1",
      "1 ",
      "1_000",
      "1,5",
      "0x1F",
      "1.",
      ".5",
      "1e",
      "--1",
      "٣",
      "１",
    ].map((odd) => asText(odd, "2")),
    [["true", "FALSE", "True"], "BOOLEAN", ["true", "false", "true"]],
    asText("t", "f"),
    asText("yes", "no"),
    asText("true", "1"),
    [["2024-01-31", "0001-01-01"], "DATE", ["2024-01-31", "0001-01-01"]],
    [["2024-01-31", "2024-01-01 23:00:00"], "TIMESTAMP", ["2024-01-31 00:00:00", "2024-01-01 23:00:00"]],
    [
      ["2024-01-01T10:00", "2024-01-01 10:00:00.123456000"],
      "TIMESTAMP",
      ["2024-01-01 10:00:00", "2024-01-01 10:00:00.123456"],
    ],
    [
      ["2024-01-01 10:00:00.1234567", "2024-01-01"],
      "TIMESTAMP_NS",
      ["2024-01-01 10:00:00.1234567", "2024-01-01 00:00:00"],
    ],
    asText("2024-01-01 10:00:00.1234567", "1600-01-01"),
    asText("2024-01-01 10:00:00.1234567891", "2024-01-01"),
    [
      ["2024-01-01T10:00:00+05:30", "2024-01-01 10:00:00Z"],
      "TIMESTAMP WITH TIME ZONE",
      ["2024-01-01 04:30:00+00", "2024-01-01 10:00:00+00"],
    ],
    [["2024-01-01T10:00:00.5-0800"], "TIMESTAMP WITH TIME ZONE", ["2024-01-01 18:00:00.5+00"]],
    asText("2024-01-01T10:00:00+05:30", "2024-01-01T10:00:00"),
    asText("2024-01-01T10:00:00.1234567+05:30"),
    ...[
      "2024-02-30",
      "0000-01-01",
      "12024-01-01",
      "2024-1-5",
      "epoch",
      "infinity",
      "0044-03-15 (BC)",
      "2024-01-01 24:00:00",
      "2023-12-31 23:59:60",
      "2024-01-01 10:00:00 Europe/Berlin",
      "2024-01-01 10:00:00+05:30:15",
      "2024-01-01 10:00:00+99:00",
    ].map((odd) => asText(odd, "2024-01-01")),
    [["10:30:00", "23:59:59.5"], "TIME", ["10:30:00", "23:59:59.5"]],
    [["10:30:00.123456789"], "TIME_NS", ["10:30:00.123456789"]],
    asText("24:00:00", "10:30:00"),
    asText("10:30", "11:45"),
    [["31/01/2024", "01/02/2024"], "DATE", ["2024-01-31", "2024-02-01"]],
    [["1/31/2024", "1/2/2024"], "DATE", ["2024-01-31", "2024-01-02"]],
    [
      ["31.01.2024 10:30", "01.02.2024 23:00:05"],
      "TIMESTAMP",
      ["2024-01-31 10:30:00", "2024-02-01 23:00:05"],
    ],
    [["05/05/2024"], "DATE", ["2024-05-05"]],
    asText("13/01/2024", "01/13/2024"),
    asText("13/01/24"),
    asText("31/02/2024"),
    asText("31/01.2024"),
    asText("df69f5ae-606f-4b60-819f-d750a44a4737"),
    asText("NULL", "1"),
    asText("\u0000", "1"),
  ];
  const found = await importCases(cases, "csv");
  test.for(cases.entries().toArray())("%j", ([index, [, type, values]]) => {
    expect(found[index]).toEqual({ type, values });
  });
});

describe("values of JSON lines are held exactly:", async () => {
  const cases: Case[] = [
    [["1", "12345678901234567890"], "HUGEINT", ["1", "12345678901234567890"]],
    [["12345678901234567890.123", "1.10"], "DECIMAL(23,3)", ["12345678901234567890.123", "1.100"]],
    [["0.1000000000000000055", "2"], "DECIMAL(20,19)", ["0.1000000000000000055", "2.0000000000000000000"]],
    [["1E5", "-0", "1.5"], "DOUBLE", ["100000.0", "-0.0", "1.5"]],
    [["\r-0", "1"], "DOUBLE", ["-0.0", "1.0"]],
    [["1e400", "1"], "JSON", ["1e400", "1"]],
    [["1e-400", "1"], "JSON", ["1e-400", "1"]],
    [['"1"', '"2"'], "VARCHAR", ["1", "2"]],
    [['"01"', "1"], "JSON", ['"01"', "1"]],
    [['"true"', '"false"'], "VARCHAR", ["true", "false"]],
    [["true", "null"], "BOOLEAN", ["true", null]],
    [["true", "1"], "JSON", ["true", "1"]],
    [['"2024-01-01T10:00:00+05:30"'], "TIMESTAMP WITH TIME ZONE", ["2024-01-01 04:30:00+00"]],
    [['"2024-01-01"', '"x"'], "VARCHAR", ["2024-01-01", "x"]],
    [
      ['{"a":12345678901234567890.123}', "[0.1000000000000000055]"],
      "JSON",
      ['{"a":12345678901234567890.123}', "[0.1000000000000000055]"],
    ],
    [['"a\\u0000b"', '"\\ud83d\\ude00\\"\\\\\\n"'], "VARCHAR", ["a\0b", '😀"\\\n']],
    [['"12345678901234567890.123"', '"x\u2028y"'], "VARCHAR", ["12345678901234567890.123", "x\u2028y"]],
    [['""', "null"], "VARCHAR", ["", null]],
  ];
  const found = await importCases(cases, "json_lines");
  test.for(cases.entries().toArray())("%j", ([index, [, type, values]]) => {
    expect(found[index]).toEqual({ type, values });
  });
});
