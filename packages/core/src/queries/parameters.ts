import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Clock,
  isSameJson,
  type ListDefinitions,
  ParameterDefinition,
  type ParameterInputs,
  type QueryDetail,
  type QueryId,
  QueryParameters,
  type SetParameters,
} from "@querybell/domain";
import { checkInputs, parseDefaultValue } from "@querybell/statements";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { definesParameters, plainDefinition, readDefinitions } from "../runs/prepare-run.ts";
import { getQuery, getQueryRow, lockQuery, queryNotFound } from "./get-query.ts";

/**
 * Gets the parameters of a query, to be edited: all its definitions and, for names that it does not define, those of its
 * references. An unsaved statement may have other names than the saved one.
 */
export async function getParameters(
  { db }: Deps,
  caller: Caller,
  { id, names }: ListDefinitions,
): Promise<QueryParameters> {
  await getQueryRow(db.prisma, caller, id);
  const stored = await readParameters(db.prisma, id);
  const defined = new Set(stored.definitions.map(({ name }) => name));
  const missing = names.filter((name) => !defined.has(name));
  if (missing.length === 0) return stored;
  const ofReferences = await readDefinitions(db.prisma, { queryId: id, names: missing });
  return { ...stored, definitions: [...stored.definitions, ...ofReferences] };
}

/** A query with the definitions that a run without values would use. */
export async function getQueryWithInputs(
  deps: Deps,
  caller: Caller,
  { id }: QueryId,
): Promise<QueryDetail & { inputs: ParameterInputs }> {
  const query = await getQuery(deps, caller, { id });
  return { ...query, inputs: await readStatementInputs(deps.db.prisma, { queryId: id, sql: query.sql }) };
}

async function readParameters(tx: Pick<Tx, "queryParameters">, queryId: string): Promise<QueryParameters> {
  const row = await tx.queryParameters.findFirst({ where: { queryId } });
  return row ? QueryParameters.parse(row) : { version: 0, definitions: [], choices: {}, ranges: [] };
}

/** The definitions of the query itself, without those of its references. */
export const readOwnDefinitions = async (
  tx: Pick<Tx, "queryParameters">,
  queryId: string,
): Promise<ParameterDefinition[]> => (await readParameters(tx, queryId)).definitions;

interface StatementOfQuery {
  queryId: string;
  sql: string;
  /** A reference of the query, whose definitions take precedence. */
  shortId?: string;
}

/** No saved statement has more. */
const maxPlaceholders = 100;

/** The definitions that a run would use, one for each placeholder of the statement, with choices and ranges. */
export async function readStatementInputs(
  tx: Pick<Tx, "queryParameters" | "queryReference" | "$queryRaw">,
  { queryId, sql, shortId }: StatementOfQuery,
): Promise<ParameterInputs> {
  const names = findOpenPlaceholders(sql).slice(0, maxPlaceholders);
  if (names.length === 0) return { definitions: [], choices: {}, ranges: [] };
  const known = await readDefinitions(tx, { queryId, names, shortId });
  const definitions = names.map(
    (name) => known.find((one) => one.name === name) ?? plainDefinition(name, "string"),
  );
  return readInputs(tx, queryId, definitions);
}

/** The choices and ranges of a query for these definitions. */
async function readInputs(
  tx: Pick<Tx, "queryParameters">,
  queryId: string,
  definitions: ParameterDefinition[],
): Promise<ParameterInputs> {
  const { choices, ranges } = await readParameters(tx, queryId);
  const types = new Map(definitions.map(({ name, type }) => [name, type]));
  return {
    definitions,
    choices: Object.fromEntries(Object.entries(choices).filter(([name]) => types.has(name))),
    // A reference may define another type, and an edited statement may have lost one of the two.
    ranges: ranges.filter(({ start, end }) => types.get(start) === "date" && types.get(end) === "date"),
  };
}

/**
 * Replaces the parameters of a query, unless somebody has changed them since `version`. A reference that defines a
 * parameter with the type that it had so far gets the new type.
 */
export async function setParameters(
  deps: Deps,
  caller: Caller,
  input: SetParameters,
): Promise<QueryParameters> {
  return deps.db.transaction((tx) => setParametersIn({ ...deps, tx }, caller, input));
}

/** The same in the transaction of the caller. Locks the query. */
export async function setParametersIn(
  deps: Changing,
  caller: Caller,
  { id: queryId, version, definitions, choices, ranges }: SetParameters,
): Promise<QueryParameters> {
  const { tx, clock } = deps;
  const content = { definitions, choices, ranges };
  checkInputs(content, clock);
  const { organizationId, name } = await lockQuery(tx, caller, queryId);
  const before = await readParameters(tx, queryId);
  if (before.version !== version) {
    // The same change once more, because its answer was lost, is no conflict.
    if (isSameInputs(content, before)) return before;
    throw parametersChanged(version, before.version);
  }
  await checkChoiceQueries(tx, caller, content, queryId);
  await changeTypesOfReferences(deps, queryId, definitions);
  const row = { version: version + 1, ...content };
  await tx.queryParameters.upsert({
    where: { queryId },
    create: { queryId, organizationId, ...row },
    update: row,
  });
  await recordAudit(deps, caller, {
    action: "query.parameters_changed",
    targetId: queryId,
    detail: { name, parameters: definitions.map((definition) => definition.name) },
  });
  return row;
}

/** Gives a new query the parameters of another one of its organization. */
export async function copyParameters(
  tx: Pick<Tx, "queryParameters">,
  fromId: string,
  { id: queryId, organizationId }: { id: string; organizationId: string },
): Promise<void> {
  const { version, ...content } = await readParameters(tx, fromId);
  if (version === 0) return;
  await tx.queryParameters.create({ data: { queryId, organizationId, version: 1, ...content } });
}

const parametersChanged = (named: number, current: number) =>
  new AppError(
    "query_changed",
    `Somebody else has changed the parameters since version ${named}: they are at version ${current} now. Read them, and make your change to those.`,
  );

/** Whether both have the same definitions, choices and ranges. */
const isSameInputs = (one: ParameterInputs, other: ParameterInputs): boolean =>
  isSameJson(inputsOf(one), inputsOf(other));

const inputsOf = ({ definitions, choices, ranges }: ParameterInputs): ParameterInputs => ({
  definitions,
  choices,
  ranges,
});

/** Throws if choices come from a query that the organization does not have, or from the query itself. */
export async function checkChoiceQueries(
  tx: Pick<Tx, "query">,
  { organizationId }: Pick<Caller, "organizationId">,
  { choices }: ParameterInputs,
  queryId: string | undefined,
): Promise<void> {
  const wanted = Object.entries(choices).flatMap(([name, offered]) =>
    offered.kind === "query" ? [{ path: `choices.${name}`, id: offered.queryId }] : [],
  );
  const own = wanted.find(({ id }) => id === queryId);
  if (own) refuse(own.path, "come from the query itself: choose another query");
  if (wanted.length === 0) return;
  const rows = await tx.query.findMany({
    where: { id: { in: wanted.map(({ id }) => id) }, organizationId, deletedAt: null },
    select: { id: true },
  });
  const found = new Set(rows.map(({ id }) => id));
  const missing = wanted.filter(({ id }) => !found.has(id));
  if (missing.length === 0) return;
  const errors = missing.map(({ path }) => ({ path, message: "come from a query that does not exist" }));
  throw new AppError("not_found", queryNotFound().message, { errors });
}

interface Changing {
  tx: Tx;
  clock: Clock;
}

/**
 * A reference overrides labels and defaults, not types: where it agreed with the query's type, it follows the change.
 * Throws if its default does not fit the new type.
 */
async function changeTypesOfReferences(
  { tx, clock }: Changing,
  queryId: string,
  definitions: readonly ParameterDefinition[],
): Promise<void> {
  const names = definitions.map(({ name }) => name);
  const before = new Map(
    (await readDefinitions(tx, { queryId, names })).map(({ name, type }) => [name, type]),
  );
  const changed = new Map(
    definitions.flatMap(({ name, type }) => {
      const from = before.get(name);
      return from === undefined || from === type ? [] : [[name, { from, to: type }] as const];
    }),
  );
  if (changed.size === 0) return;
  const rows = await tx.$queryRaw<{ id: string; title: string; parameters: unknown }[]>`
    SELECT id, title, parameters FROM query_references
    WHERE query_id = ${queryId}::uuid AND deleted_at IS NULL AND ${definesParameters}
    ORDER BY id FOR NO KEY UPDATE`;
  for (const { id, title, parameters } of rows) {
    const published = ParameterDefinition.array().parse(parameters);
    const next = published.map((definition) => {
      const change = changed.get(definition.name);
      if (change?.from !== definition.type) return definition;
      const { name, defaultValue } = definition;
      if (defaultValue !== undefined) refuseUnfit({ name, type: change.to, clock }, defaultValue, title);
      return { ...definition, type: change.to };
    });
    if (next.some((definition, index) => definition !== published[index])) {
      await tx.queryReference.update({ where: { id }, data: { parameters: next, updatedAt: clock.now() } });
    }
  }
}

function refuseUnfit(context: Parameters<typeof parseDefaultValue>[0], text: string, title: string): void {
  try {
    parseDefaultValue(context, text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      "conflict",
      `The chart “${title}” has its own default for {{${context.name}}}, “${text.slice(0, 100)}”, which does not fit the new type. Change it there first.`,
      { cause: error },
    );
  }
}

function refuse(path: string, message: string): never {
  throw new AppError("invalid_request", `The parameters do not fit: ${path} ${message}.`, {
    errors: [{ path, message }],
  });
}
