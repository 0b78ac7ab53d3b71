import type { EngineKind, ParameterType, ParameterValue } from "@querybell/domain";
import { compileStatement, parseStatement, toArgument } from "@querybell/statements";
import { expect } from "vitest";
import { engineOf } from "../engines.ts";
import { execute } from "./real-databases.ts";

/** Names, and their types and values. */
export type Parameters = Record<string, [ParameterType, ParameterValue]>;

export function compile(engine: EngineKind, sql: string, parameters: Parameters) {
  const filled = Object.entries(parameters).map(
    ([name, [type, value]]) => [name, toArgument(type, value)] as const,
  );
  return compileStatement(parseStatement(sql, engineOf(engine).dialect), new Map(filled));
}

/** The types and rows; DuckDB names a column without a name after its text, so names may differ. */
export async function typesAndRows(engine: EngineKind, statement: { text: string; values: string[] }) {
  const { fields, rows } = await execute(engine, statement);
  return { types: fields.map((field) => field.type), rows };
}

/** Runs a statement with bound and with rendered values, checks that both agree, and returns the rows. */
export async function runBoundAndRendered(engine: EngineKind, sql: string, parameters: Parameters) {
  const { text, values, renderedSql } = compile(engine, sql, parameters);
  const bound = await typesAndRows(engine, { text, values });
  expect(await typesAndRows(engine, { text: renderedSql, values: [] })).toEqual(bound);
  return bound.rows;
}
