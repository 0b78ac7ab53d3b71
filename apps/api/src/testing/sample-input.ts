import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** An input that a procedure accepts, and the ids in it (all different), which a test can replace. */
export interface SampleInput {
  input: unknown;
  ids: string[];
}

/**
 * Generates inputs from a procedure's schemas: with every optional field and every alternative; one without the cursor,
 * because a list refuses one that it did not make; and one without optional fields, because a filter can keep a list from
 * reading anything.
 */
export function sampleInputs(schemas: readonly unknown[]): SampleInput[] {
  const zodSchemas = schemas.map((schema) => z.instanceof(z.ZodType).parse(schema));
  if (zodSchemas.length === 0) return [{ input: undefined, ids: [] }];
  const jsonSchemas = zodSchemas.map((schema) => z.toJSONSchema(schema, { io: "input" }));
  const samples = joined(jsonSchemas.map((schema) => samplesOf(schema)));
  for (const isKept of [isNoCursor, isRequired]) {
    const [smaller] = joined(jsonSchemas.map((schema) => samplesOf(keepFields(schema, isKept))));
    const isAccepted = zodSchemas.every((schema) => schema.safeParse(smaller).success);
    if (isAccepted && samples.every((sample) => !isDeepStrictEqual(sample, smaller))) samples.push(smaller);
  }
  return samples.map((sample) => {
    const { input, ids } = numberIds(sample);
    for (const schema of zodSchemas) schema.parse(input);
    return { input, ids };
  });
}

/** Merges the samples of several schemas into one input. */
const joined = (samples: unknown[][]): unknown[] =>
  samples.reduce((left, right) => left.flatMap((one) => right.map((other) => Object.assign({}, one, other))));

type IsKept = (name: string, schema: JsonSchema) => boolean;

const isNoCursor: IsKept = (name) => name !== "cursor";

const isRequired: IsKept = (name, { required = [] }) => required.includes(name);

function keepFields(schema: JsonSchema, isKept: IsKept): JsonSchema {
  const { properties = {} } = schema;
  if (schema.type !== "object") return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name, schema))),
  };
}

/** Replaces the ids of a sample, in order. */
export const withIds = ({ input, ids }: SampleInput, others: readonly string[]): unknown =>
  ids.length === 0
    ? input
    : JSON.parse(ids.reduce((text, id, at) => text.replace(id, others[at] ?? id), JSON.stringify(input)));

/** The names of the fields that have the ids, in order. */
export function fieldsWithIds({ input, ids }: SampleInput): string[] {
  const search = (value: unknown, field: string): string[] => {
    if (typeof value === "string") return ids.includes(value) ? [field] : [];
    if (Array.isArray(value)) return value.flatMap((entry) => search(entry, field));
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => search(inner, name));
  };
  return search(input, "");
}

const placeholderId = "00000000-0000-7000-8000-000000000000";

function numberIds(sample: unknown): SampleInput {
  const ids: string[] = [];
  if (sample === undefined) return { input: sample, ids };
  const text = JSON.stringify(sample).replaceAll(placeholderId, (id) => {
    ids.push(id.slice(0, -4) + String(ids.length + 1).padStart(4, "0"));
    return ids.at(-1) ?? id;
  });
  return { input: JSON.parse(text), ids };
}

// Names of fields that identify an object.
const isIdentifier = /(^|[a-z])(id|token|cursor|key|slug)s?$/i;

function samplesOf(schema: JsonSchema | boolean, name = ""): unknown[] {
  if (typeof schema === "boolean") return ["anything"];
  // Formats that cannot be guessed have an example in the schema.
  if (schema.examples) return schema.examples.slice(0, 1);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.flatMap((one) => samplesOf(one, name));
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum.slice(0, 1);
  switch (schema.type) {
    case "object":
      return objectsOf(schema);
    case "array":
      return samplesOf(firstItem(schema), name).map((item) => [item]);
    case "string":
      return [isIdentifier.test(name) || schema.format === "uuid" ? placeholderId : textOf(schema)];
    case "integer":
    case "number":
      return [schema.minimum ?? Number(schema.exclusiveMinimum ?? 0) + 1];
    case "boolean":
      return [true];
    case "null":
      return [null];
    default:
      return ["anything"];
  }
}

const firstItem = ({ items, prefixItems }: JsonSchema) =>
  prefixItems?.[0] ?? (Array.isArray(items) ? items[0] : items) ?? true;

/** The first sample of every field; then, for each field that has more, one object with each of those. */
function objectsOf({ properties = {} }: JsonSchema): unknown[] {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    samples: samplesOf(schema, name),
  }));
  const first = Object.fromEntries(fields.map(({ name, samples }) => [name, samples[0]]));
  const more = fields.flatMap(({ name, samples }) =>
    samples.slice(1).map((sample) => ({ ...first, [name]: sample })),
  );
  return [first, ...more];
}

function textOf({ format, minLength = 0, maxLength = 1000 }: JsonSchema): string {
  if (format === "email") return "somebody.else@example.test";
  if (format === "uri") return "https://example.test/";
  if (format === "date-time") return "2100-01-01T00:00:00.000Z";
  if (format === "date") return "2100-01-01";
  return "sample text".padEnd(minLength, ".").slice(0, maxLength);
}
