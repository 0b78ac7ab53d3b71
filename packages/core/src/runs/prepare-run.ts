import { createHash } from "node:crypto";
import { inTransaction, onPool, Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Clock,
  DateRange,
  type EngineKind,
  GroupRoles,
  isSystemName,
  ParameterDefinition,
  type ParameterInputs,
  type ParameterType,
  type ParameterValues,
  type SystemValues,
} from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import {
  type CompiledStatement,
  compileStatement,
  parseStatement,
  resolveValues,
  type Statement,
  toArgument,
} from "@querybell/statements";
import { requirePolicies } from "../access/row-policies.ts";
import { encodeSystemValues, readSystemValues } from "../access/system-values.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { referenceNotFound } from "../references/get-reference.ts";

export interface Values {
  definitions: readonly ParameterDefinition[];
  given: Readonly<Record<string, unknown>>;
  /** Pairs of dates that must be in order. */
  ranges?: readonly DateRange[];
  /** The values of the person for whom it runs, for the placeholders that are filled in with them. */
  system: SystemValues;
}

/** A run before it is stored: its resolved values and its compiled statement. */
export interface PreparedRun {
  parameterValues: ParameterValues;
  parameterTypes: Record<string, ParameterType>;
  parameterValuesHash: Uint8Array<ArrayBuffer>;
  /** Null if the statement uses none. */
  systemValues: Record<string, string> | null;
  rowRightsVersion: number;
  compiled: CompiledStatement;
}

/** A statement that follows the policies of its database. */
export interface StatementToRun extends Statement {
  /** The database, if it has roles for groups. */
  databaseWithRoles?: string;
  /** Of the policies and roles of the database. */
  rowRightsVersion: number;
}

interface DatabaseToRunOn {
  id: string;
  engine: EngineKind;
  rowPolicies: unknown;
  groupRoles: unknown;
  rowRightsVersion: number;
}

/** Parses a statement in the dialect of its database. Throws if it breaks a policy of the database. */
export function parseForRun(
  sql: string,
  { id, engine, rowPolicies, groupRoles, rowRightsVersion }: DatabaseToRunOn,
): StatementToRun {
  const statement = { ...parseStatement(sql, engineOf(engine).dialect), rowRightsVersion };
  requirePolicies(statement, rowPolicies);
  return GroupRoles.parse(groupRoles).length > 0 ? { ...statement, databaseWithRoles: id } : statement;
}

/** Parses the query's statement in the dialect of its database. Throws if the database is deleted. */
export async function readStatement(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  query: Prisma.QueryModel,
): Promise<StatementToRun> {
  return parseForRun(query.sql, await getDatabaseRow(tx, query, query.analyticalDatabaseConfigId));
}

export function prepareRun(statement: StatementToRun, values: Values, clock: Clock): PreparedRun {
  const { rowRightsVersion } = statement;
  const { given, system, ranges = [] } = values;
  refuseSystemNames(given);
  const open = { ...statement, placeholders: statement.placeholders.filter((name) => !isSystemName(name)) };
  const definitions = addMissingDefinitions(
    open,
    values.definitions.filter(({ name }) => !isSystemName(name)),
  );
  const { parameterValues, parameters } = resolveValues(open, { definitions, given, ranges, clock });
  const systemArguments = Object.entries(system)
    .filter(([name]) => isSystemName(name))
    .map(
      ([name, value]) =>
        [
          name,
          typeof value === "string" ? toArgument("string", value) : toArgument("string[]", [...value]),
        ] as const,
    );
  const systemValues = Object.keys(system).length === 0 ? null : encodeSystemValues(system);
  const types = definitions
    .filter(({ name }) => Object.hasOwn(parameterValues, name))
    .map(({ name, type }) => [name, type] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    parameterValues,
    parameterTypes: Object.fromEntries(types),
    // Types and values are sorted by name, so equal values give equal JSON. A run from before a change of policies or
    // roles is not joined.
    parameterValuesHash: sha256(
      JSON.stringify([
        types,
        parameterValues,
        ...(systemValues ? [systemValues] : []),
        ...(rowRightsVersion > 0 ? [rowRightsVersion] : []),
      ]),
    ),
    systemValues,
    rowRightsVersion,
    compiled: compileStatement(statement, new Map([...parameters, ...systemArguments])),
  };
}

/** Nobody sends a value that says who they are. */
function refuseSystemNames(given: Values["given"]): void {
  const names = Object.keys(given).filter(isSystemName);
  if (names.length === 0) return;
  throw new AppError(
    "invalid_parameter_value",
    `${names.map((name) => `{{${name}}}`).join(", ")} is filled in with who runs the query. Leave it out.`,
    { errors: names.map((name) => ({ path: `parameterValues.${name}`, message: "cannot be sent" })) },
  );
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

/** The type by which a value of a model's own SQL is bound. It sends dates as texts and casts them in the SQL. */
export function typeOfValue(value: ParameterValues[string]): ParameterType {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "number")) {
      return value.every(Number.isSafeInteger) ? "integer[]" : "number[]";
    }
    return "string[]";
  }
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

const sha256 = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());

/** The maximum number of references of one query that define parameters. Every run reads all of them. */
export const maxDefiningReferences = 100;

/**
 * SQL: whether a reference defines parameters. Compares the size, which Postgres knows without reading the value: an
 * empty list has 8 bytes, and one definition has more than 50.
 */
export const definesParameters = Prisma.sql`pg_column_size(parameters) > 16`;

interface DefinitionFilter {
  queryId: string;
  /** Reads only these: a query can have many references, each with defaults of 100,000 characters. */
  names: Iterable<string>;
  shortId?: string | undefined;
  /** In place of the query's own: those of a draft. */
  own?: Pick<ParameterInputs, "definitions" | "ranges"> | undefined;
}

/**
 * Reads the definitions of a query's parameters. For each name, the definition of the chosen reference applies, then
 * that of the query, and then that of the oldest reference that defines it.
 */
export async function readDefinitions(
  tx: DefinitionTables,
  filter: DefinitionFilter,
): Promise<ParameterDefinition[]> {
  return (await readDefinitionsAndRanges(tx, filter)).definitions;
}

type DefinitionTables = Pick<Tx, "queryReference" | "$queryRaw">;

export async function readDefinitionsAndRanges(
  tx: DefinitionTables,
  { queryId, names, shortId, own }: DefinitionFilter,
): Promise<Pick<ParameterInputs, "definitions" | "ranges">> {
  if (shortId !== undefined) {
    const chosen = await tx.queryReference.findFirst({
      where: { queryId, shortId, deletedAt: null },
      select: { id: true },
    });
    if (!chosen) throw referenceNotFound();
  }
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return { definitions: [], ranges: [] };
  const ofQuery = own
    ? Prisma.sql`SELECT ${JSON.stringify(own.definitions)}::jsonb AS definitions, ${JSON.stringify(own.ranges)}::jsonb AS ranges`
    : Prisma.sql`SELECT definitions, ranges FROM query_parameters WHERE query_id = ${queryId}::uuid`;
  const rows = await tx.$queryRaw<{ definition: unknown; ranges: unknown }[]>`
    WITH of_query AS (${ofQuery}), of_references AS (
      SELECT parameters, CASE WHEN short_id = ${shortId ?? ""} THEN 0 ELSE 2 END AS rank,
        row_number() OVER (ORDER BY short_id <> ${shortId ?? ""}, created_at, id) AS place
      FROM query_references
      WHERE query_id = ${queryId}::uuid AND deleted_at IS NULL AND ${definesParameters}
      ORDER BY place LIMIT ${maxDefiningReferences}
    ), defining AS (
      SELECT * FROM of_references
      UNION ALL SELECT definitions, 1, 0 FROM of_query
    )
    SELECT DISTINCT ON (definition ->> 'name') definition, (SELECT ranges FROM of_query) AS ranges
    FROM defining, jsonb_array_elements(parameters) AS definition
    WHERE definition ->> 'name' = ANY (${wanted}::text[])
    ORDER BY definition ->> 'name', rank, place`;
  return {
    definitions: rows.map(({ definition }) => ParameterDefinition.parse(definition)),
    ranges: DateRange.array().parse(rows[0]?.ranges ?? []),
  };
}

interface WantedValues extends Omit<DefinitionFilter, "names">, Pick<Values, "given"> {
  /** The person for whom it runs. */
  person: Pick<Caller, "organizationId" | "userId" | "seenBy">;
}

/** The values that a caller sent for a statement, with the definitions of their parameters, and who they are. */
export async function readValues(
  { db, tx }: Pick<Deps, "db"> & { tx?: Tx },
  statement: Pick<StatementToRun, "placeholders" | "databaseWithRoles">,
  { given, person, ...wanted }: WantedValues,
): Promise<Values> {
  const { placeholders } = statement;
  const system = await readSystemValues(tx ? inTransaction(tx) : onPool(db), person, statement);
  const names = [...placeholders, ...Object.keys(given)];
  return { given, system, ...(await readDefinitionsAndRanges(tx ?? db.prisma, { ...wanted, names })) };
}
