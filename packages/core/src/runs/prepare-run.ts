import { createHash } from "node:crypto";
import type { Prisma, Tx } from "@querybell/db";
import type { Clock, ParameterDefinition, ParameterType, ParameterValues } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import {
  type CompiledStatement,
  compileStatement,
  parseStatement,
  resolveValues,
  type Statement,
} from "@querybell/statements";
import { getDatabaseRow } from "../databases/get-database.ts";

export interface Values {
  definitions: readonly ParameterDefinition[];
  given: Readonly<Record<string, unknown>>;
}

/** A run before it is stored: its resolved values and its compiled statement. */
export interface PreparedRun {
  parameterValues: ParameterValues;
  parameterTypes: Record<string, ParameterType>;
  parameterValuesHash: Uint8Array<ArrayBuffer>;
  compiled: CompiledStatement;
}

/** Parses the query's statement in the dialect of its database. Throws if the database is deleted. */
export async function readStatement(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  query: Prisma.QueryModel,
): Promise<Statement> {
  const { engine } = await getDatabaseRow(tx, query, query.analyticalDatabaseConfigId);
  return parseStatement(query.sql, engineOf(engine).dialect);
}

export function prepareRun(statement: Statement, values: Values, clock: Clock): PreparedRun {
  const { given } = values;
  const definitions = addMissingDefinitions(statement, values.definitions);
  const { parameterValues, parameters } = resolveValues(statement, { definitions, given, clock });
  const types = definitions
    .filter(({ name }) => Object.hasOwn(parameterValues, name))
    .map(({ name, type }) => [name, type] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    parameterValues,
    parameterTypes: Object.fromEntries(types),
    // Types and values are sorted by name, so equal values give equal JSON.
    parameterValuesHash: sha256(JSON.stringify([types, parameterValues])),
    compiled: compileStatement(statement, parameters),
  };
}

/** Adds a definition for every undefined placeholder: a string without a default. */
const addMissingDefinitions = (
  { placeholders }: Statement,
  definitions: readonly ParameterDefinition[],
): ParameterDefinition[] => {
  const defined = new Set(definitions.map(({ name }) => name));
  const missing = placeholders.filter((name) => !defined.has(name));
  return [...definitions, ...missing.map((name) => plainDefinition(name, "string"))];
};

export const plainDefinition = (name: string, type: ParameterType): ParameterDefinition => ({
  name,
  displayName: name,
  type,
  description: "",
});

const sha256 = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());
