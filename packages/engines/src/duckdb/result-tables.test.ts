import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { expect, test } from "vitest";
import { DuckdbInstance } from "./driver.ts";
import { createResultTables } from "./result-tables.ts";
import { sql } from "./trusted-sql.ts";

/** A column of a chart's result, as a query reads it: its type, and its values as texts. */
async function readColumn(type: Field["type"], values: readonly JsonValue[]) {
  const instance = await DuckdbInstance.open(":memory:", {});
  const connection = await instance.connect();
  try {
    await connection.run(sql`SET TimeZone = 'UTC'`);
    const rows = values.map((value) => [value]);
    await createResultTables(connection, [{ name: "odd", fields: [{ name: "v", type }], rows }]);
    const reader = await connection.runAndReadAll(
      sql`SELECT typeof(v), CAST(v AS VARCHAR) FROM charts.main.odd`,
    );
    const read = reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
    return { type: read[0]?.[0], values: read.map(([, value]) => value) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test.for([
  [
    "date",
    ["infinity", "-infinity", "2024-02-29", null],
    "DATE",
    ["infinity", "-infinity", "2024-02-29", null],
  ],
  ["date", ["-000043-03-15", "+012024-01-31"], "DATE", ["0044-03-15 (BC)", "12024-01-31"]],
  [
    "timestamp",
    ["infinity", "2024-01-31T10:00:00.123456Z"],
    "TIMESTAMP WITH TIME ZONE",
    ["infinity", "2024-01-31 10:00:00.123456+00"],
  ],
  [
    "timestamp",
    ["-infinity", "-000043-03-15T10:00:00"],
    "TIMESTAMP",
    ["-infinity", "0044-03-15 (BC) 10:00:00"],
  ],
  [
    "time",
    ["23:59:59.999999+05:30", "12:00:00-08:00"],
    "TIME WITH TIME ZONE",
    ["23:59:59.999999+05:30", "12:00:00-08"],
  ],
] as const)("a column %s with the values %j is a %s", async ([type, given, found, values]) => {
  expect(await readColumn(type, given)).toEqual({ type: found, values });
});

test.for([
  ["decimal", ["0.1", "NaN"], "NaN"],
  ["decimal", [`1${"0".repeat(60)}`], `1${"0".repeat(59)}`],
  ["timestamp", ["2024-01-31T10:00:00", "2024-01-31T10:00:00Z"], "2024-01-31T10:00:00"],
  ["timestamp", ["2024-01-31T10:00:00.123456789012"], "2024-01-31T10:00:00.123456789012"],
] as const)("a column %s with the values %j is refused, with one of them", async ([type, given, value]) => {
  await expect(readColumn(type, given)).rejects.toThrow(
    `The column v of charts.odd has values that no type here holds exactly, such as ${value}. Convert it to text`,
  );
});
