import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Choices,
  type Clock,
  type InputError,
  type ListDefinitions,
  ParameterDefinition,
  type ParameterInputs,
  QueryParameters,
  type SetParameters,
} from "@querybell/domain";
import { parseDefaultValue, parseItem } from "@querybell/statements";
import type { Deps } from "../deps.ts";
import { definesParameters, readDefinitions, refuseSystemDefinitions } from "../runs/prepare-run.ts";
import { getQueryRow, lockQuery, queryNotFound } from "./get-query.ts";

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

async function readParameters(tx: Pick<Tx, "queryParameters">, queryId: string): Promise<QueryParameters> {
  const row = await tx.queryParameters.findFirst({ where: { queryId } });
  return row ? QueryParameters.parse(row) : { version: 0, definitions: [], choices: {}, ranges: [] };
}

/** The definitions of the query itself, without those of its references. */
export const readOwnDefinitions = async (
  tx: Pick<Tx, "queryParameters">,
  queryId: string,
): Promise<ParameterDefinition[]> => (await readParameters(tx, queryId)).definitions;

/** The choices and ranges of a query for these definitions. */
export async function readInputs(
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
  { id: queryId, version, definitions, choices, ranges }: SetParameters,
): Promise<QueryParameters> {
  const content = { definitions, choices, ranges };
  checkInputs(content, deps.clock);
  return deps.db.transaction(async (tx) => {
    const { organizationId } = await lockQuery(tx, caller, queryId);
    const before = await readParameters(tx, queryId);
    if (before.version !== version) {
      // The same change once more, because its answer was lost, is no conflict.
      if (isSame(content, before)) return before;
      throw parametersChanged(version, before.version);
    }
    await checkChoiceQueries(tx, caller, content, queryId);
    await changeTypesOfReferences({ ...deps, tx }, queryId, definitions);
    const row = { version: version + 1, ...content };
    await tx.queryParameters.upsert({
      where: { queryId },
      create: { queryId, organizationId, ...row },
      update: row,
    });
    return row;
  });
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

/** Postgres orders the keys of an object, so they are compared in any order. */
function isSame(content: ParameterInputs, { version: _, ...stored }: QueryParameters): boolean {
  return canonical(content) === canonical(stored);
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** Throws if a default or a choice does not fit its type, or if choices or ranges do not fit the definitions. */
function checkInputs({ definitions, choices, ranges }: ParameterInputs, clock: Clock): void {
  refuseSystemDefinitions(definitions);
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  for (const [index, { defaultValue, ...context }] of definitions.entries()) {
    if (defaultValue === undefined) continue;
    atPath(`definitions.${index}.defaultValue`, () => parseDefaultValue({ ...context, clock }, defaultValue));
  }
  for (const [name, offered] of Object.entries(choices)) {
    const definition = byName.get(name);
    if (!definition) refuse(`choices.${name}`, "are of a parameter that is not defined");
    else checkChoices({ ...definition, clock }, offered, byName);
  }
  refuseCycles(choices);
  const grouped = new Set<string>();
  for (const [index, { start, end }] of ranges.entries()) {
    for (const name of [start, end]) {
      const path = `ranges.${index}`;
      if (byName.get(name)?.type !== "date") refuse(path, `needs {{${name}}} to be defined as a date`);
      if (grouped.has(name)) refuse(path, `needs {{${name}}} once: it is used twice`);
      grouped.add(name);
    }
  }
}

type Defined = ParameterDefinition & { clock: Clock };

function checkChoices(
  { name, type, clock }: Defined,
  offered: Choices,
  byName: ReadonlyMap<string, unknown>,
): void {
  const path = `choices.${name}`;
  if (type === "boolean") refuse(path, "are not for true or false, which has its two values");
  if (offered.kind === "query") {
    const unknown = offered.dependsOn.find((one) => !byName.has(one));
    if (unknown) refuse(path, `depend on {{${unknown}}}, which is not defined`);
    return;
  }
  for (const [index, { value }] of offered.items.entries()) {
    atPath(`${path}.items.${index}.value`, () => parseItem({ name, type, clock }, value));
  }
  const values = new Set(offered.items.map(({ value }) => value));
  if (values.size < offered.items.length) refuse(path, "must be different values");
}

/** Throws if the choices of a parameter depend, over others, on its own value. */
function refuseCycles(choices: ParameterInputs["choices"]): void {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]) => {
    if (above.includes(name)) {
      const circle = [...above.slice(above.indexOf(name)), name].map((one) => `{{${one}}}`).join(" → ");
      refuse(`choices.${name}`, `depend on each other in a circle: ${circle}`);
    }
    if (done.has(name)) return;
    const offered = Object.hasOwn(choices, name) ? choices[name] : undefined;
    if (offered?.kind === "query") for (const one of offered.dependsOn) visit(one, [...above, name]);
    done.add(name);
  };
  for (const name of Object.keys(choices)) visit(name, []);
}

/** Throws if choices come from a query that the organization does not have, or from the query itself. */
async function checkChoiceQueries(
  tx: Tx,
  { organizationId }: Caller,
  { choices }: ParameterInputs,
  queryId: string,
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

/** Gives an error of `check` the path of the input that it is about. */
function atPath(path: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors: InputError[] = (error.errors ?? []).map(({ message }) => ({ path, message }));
    throw new AppError(error.code, error.message, { errors, cause: error });
  }
}

function refuse(path: string, message: string): never {
  throw new AppError("invalid_request", `The parameters do not fit: ${path} ${message}.`, {
    errors: [{ path, message }],
  });
}
