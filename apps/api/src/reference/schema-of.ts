import * as domain from "@querybell/domain";
import { z } from "zod";
import { type JsonSchema, nameKey } from "./type-text.ts";

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
