import * as domain from "@querybell/domain";
import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

interface TextOptions {
  /** Decides for each named type whether its name is written or its fields. Default: its fields. */
  onName?: (name: string, schema: JsonSchema) => boolean;
}

/** The key under which a schema carries the name of its type. */
const nameKey = "x-name";

const lineWidth = 100;

/**
 * Writes a JSON schema as a readable type, close to TypeScript: with names such as `integer`, `uuid` and `time`, and with
 * limits and descriptions as comments.
 */
export function typeText(schema: JsonSchema | boolean, options: TextOptions = {}): string {
  if (typeof schema === "boolean" || schema.$ref) return "json";
  const name = schema[nameKey];
  if (typeof name === "string" && options.onName?.(name, schema)) return name;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return unionText(alternatives.map((one) => typeText(one, options)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return unionText(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.type)) return unionText(schema.type);
  switch (schema.type) {
    case "object":
      return schema.properties ? objectText(schema, options) : recordText(schema, options);
    case "array":
      return arrayText(itemsOf(schema), options);
    case "string":
      return textNames[schema.format ?? ""] ?? "string";
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "json";
  }
}

const textNames: Record<string, string> = { uuid: "uuid", "date-time": "time", uri: "url", email: "email" };

const itemsOf = ({ items }: JsonSchema): JsonSchema | boolean =>
  (Array.isArray(items) ? items[0] : items) ?? true;

function unionText(texts: string[]): string {
  const unique = [...new Set(texts)];
  const line = unique.join(" | ");
  if (line.length <= lineWidth && !line.includes("\n")) return line;
  // After a long type, `null` stays on the same line.
  if (unique.length === 2 && unique[1] === "null") return line;
  return unique.map((text) => `\n| ${indent(text)}`).join("");
}

function arrayText(item: JsonSchema | boolean, options: TextOptions): string {
  const text = typeText(item, options);
  const isUnion =
    typeof item !== "boolean" &&
    (item.anyOf ?? item.oneOf ?? item.enum ?? Array.isArray(item.type)) !== false;
  return isUnion && / \| |^\n/.test(text) ? `(${text})[]` : `${text}[]`;
}

const recordText = ({ additionalProperties = true }: JsonSchema, options: TextOptions): string =>
  additionalProperties === false ? "{}" : `{ [name: string]: ${typeText(additionalProperties, options)} }`;

function objectText({ properties = {}, required = [] }: JsonSchema, options: TextOptions): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const text = typeText(schema, options);
    return {
      field: `${name}${isRequired ? "" : "?"}:${text.startsWith("\n") ? indent(text) : ` ${text}`};`,
      limits: typeof schema === "boolean" ? "" : limitsText(schema, isRequired),
      description: typeof schema === "boolean" ? "" : (schema.description ?? ""),
    };
  });
  if (fields.length === 0) return "{}";
  const line = `{ ${fields.map(({ field }) => field).join(" ")} }`.replace(/; }$/, " }");
  const isPlain = fields.every(
    ({ field, limits, description }) => !field.includes("\n") && !limits && !description,
  );
  if (isPlain && line.length <= lineWidth) return line;
  const lines = fields.flatMap(({ field, limits, description }) => [
    ...(description ? [`  // ${description}`] : []),
    `  ${indent(field)}${limits && ` // ${limits}`}`,
  ]);
  return ["{", ...lines, "}"].join("\n");
}

const indent = (text: string): string => text.replaceAll("\n", "\n  ");

/** The limits and the default of a type. */
function limitsText(schema: JsonSchema, isRequired: boolean): string {
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.type !== "object");
  const parts = [schema, ...alternatives].flatMap((one) => [
    range(one.minLength, one.maxLength, "characters"),
    range(one.minItems, one.maxItems, "entries"),
    range(one.minimum, one.maximum, ""),
    one.pattern && !one.format ? `matches ${one.pattern}` : "",
  ]);
  if (!isRequired && schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return [...new Set(parts.filter((part) => part !== ""))].join("; ");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER
      ? undefined
      : bound.toLocaleString("en"),
  );
  const bounds = from && to ? `${from} to ${to}` : from ? `at least ${from}` : to ? `at most ${to}` : "";
  return bounds && `${bounds} ${unit}`.trim();
}

/** The names of the domain's types, by schema. */
const names = new Map<unknown, string>(
  Object.entries(domain)
    .filter(([, value]) => value instanceof z.ZodObject || value instanceof z.ZodDiscriminatedUnion)
    .map(([name, schema]) => [schema, name]),
);

/** A schema as JSON schema, in which the domain's types carry their names. */
const toJson = (schema: z.ZodType, io: "input" | "output"): JsonSchema =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const name = names.get(zodSchema);
      if (name) jsonSchema[nameKey] = name;
    },
  });

export const inputSchema = (schema: z.ZodType): JsonSchema => toJson(schema, "input");
export const outputSchema = (schema: z.ZodType): JsonSchema => toJson(schema, "output");
