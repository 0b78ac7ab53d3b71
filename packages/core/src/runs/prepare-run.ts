import { createHash } from "node:crypto";
import type { Prisma, Tx } from "@querybell/db";
import type { Clock, ParameterDefinition, ParameterType, ParameterValues } from "@querybell/domain";
import { type CompiledStatement, compileStatement, resolveValues, type Statement } from "@querybell/engines";
import { getDatabaseRow } from "../databases/get-database.ts";
import { checkSql } from "../queries/check-sql.ts";

export interface Values {
  definitions: readonly ParameterDefinition[];
  given: Readonly<Record<string, unknown>>;
}

/** A run before it is stored: its values, and its statement with them. */
export interface PreparedRun {
  parameterValues: ParameterValues;
  parameterTypes: Record<string, ParameterType>;
  parameterValuesHash: Uint8Array<ArrayBuffer>;
  compiled: CompiledStatement;
}

/** The query's statement, read for its database, which must still be there. */
export const readStatement = async (
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  query: Prisma.QueryModel,
): Promise<Statement> =>
  checkSql(await getDatabaseRow(tx, query, query.analyticalDatabaseConfigId), query.sql);

export function prepareRun(statement: Statement, values: Values, clock: Clock): PreparedRun {
  const { given } = values;
  const definitions = withUndefined(statement, values.definitions);
  const { parameterValues, parameters } = resolveValues(statement, { definitions, given, clock });
  const types = definitions
    .filter(({ name }) => Object.hasOwn(parameterValues, name))
    .map(({ name, type }) => [name, type] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    parameterValues,
    parameterTypes: Object.fromEntries(types),
    // Types and values are sorted by name: equal values make equal text.
    parameterValuesHash: sha256(JSON.stringify([types, parameterValues])),
    compiled: compileStatement(statement, parameters),
  };
}

/** A placeholder that no reference defines takes a text, and has no default. */
const withUndefined = (
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
