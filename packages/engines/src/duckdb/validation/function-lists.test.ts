import { expect, test } from "vitest";
import { sql, sqlList, sqlString } from "../trusted-sql.ts";
import { expressionFunctions, type FunctionList, reviewedVersion, tableFunctions } from "./function-lists.ts";
import { openParser } from "./parse-select.ts";

const instruction = `Review each in function-lists.ts: could a hostile statement use it to run text as SQL, to reach memory, files
or the server, or to change anything? Allow it only if not, and set reviewedVersion.`;

async function listFunctions(...types: string[]): Promise<string[]> {
  const connection = await openParser();
  const reader = await connection.runAndReadAll(
    sql`SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN (${sqlList(types.map(sqlString))})`,
  );
  return reader.getRowsJson().map(([name]) => String(name));
}

const namesIn = ({ allowed, refused }: FunctionList) => [...allowed, ...refused.keys()];
const missing = (names: string[], from: string[]) => names.filter((name) => !from.includes(name)).toSorted();

test("the installed DuckDB is the one whose functions were reviewed", async () => {
  const reader = await (await openParser()).runAndReadAll(sql`SELECT version()`);
  expect(reader.getRowsJson(), instruction).toEqual([[reviewedVersion]]);
});

// PRAGMA functions are not listed: a PRAGMA is no SELECT and never passes.
test.each([
  ["expressions", expressionFunctions, ["scalar", "aggregate", "macro"]],
  ["FROM", tableFunctions, ["table", "table_macro"]],
])("every function of the installed DuckDB for %s is in one list", async (_, functions, types) => {
  const installed = await listFunctions(...types);
  // Built into the binder; the catalog lists it for FROM only.
  if (types.includes("scalar")) installed.push("unnest", "unlist");
  expect(installed.length).toBeGreaterThan(50);
  expect(missing(installed, namesIn(functions)), instruction).toEqual([]);
  expect(missing(namesIn(functions), installed), "DuckDB no longer has these: remove them.").toEqual([]);
  expect(new Set(namesIn(functions)).size).toBe(namesIn(functions).length);
});

test("there is no kind of function that the lists leave out", async () => {
  const reader = await (await openParser()).runAndReadAll(
    sql`SELECT DISTINCT function_type FROM duckdb_functions()`,
  );
  const types = reader.getRowsJson().map(([type]) => type);
  expect(types.toSorted()).toEqual(["aggregate", "macro", "pragma", "scalar", "table", "table_macro"]);
});

test("no function that takes a pointer is allowed", async () => {
  const reader = await (await openParser()).runAndReadAll(
    sql`SELECT DISTINCT function_name FROM duckdb_functions() WHERE list_contains(parameter_types, 'POINTER')`,
  );
  const names = reader.getRowsJson().map(([name]) => String(name));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect(tableFunctions.refused.get(name)).toBe("rawMemory");
    expect(tableFunctions.allowed).not.toContain(name);
    expect(expressionFunctions.allowed).not.toContain(name);
  }
});
