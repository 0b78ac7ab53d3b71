import { z } from "zod";
import { Text } from "./text.ts";

export const ParameterType = z.enum([
  "string",
  "integer",
  "number",
  "boolean",
  "date",
  "timestamp",
  "string[]",
  "integer[]",
  "number[]",
]);
export type ParameterType = z.infer<typeof ParameterType>;

/** The name of a placeholder. */
export const ParameterName = z
  .string()
  .max(63, "must have at most 63 characters")
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be letters, digits and underscores, not starting with a digit")
  // As an object key it would set the prototype.
  .refine((name) => name !== "__proto__", "is reserved: choose another name")
  .meta({ examples: ["since"] });

export const ParameterDefinition = z.strictObject({
  name: ParameterName,
  displayName: Text.max(200),
  type: ParameterType,
  defaultValue: Text.max(10_000).optional(),
  description: Text.max(2000),
});
export type ParameterDefinition = z.infer<typeof ParameterDefinition>;

/** The maximum number of items of a list value. */
export const maxListItems = 10_000;

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A value as it is stored with a run: an integer beyond 2^53 is a string, dates are ISO 8601. */
export const ParameterValue = z.union([Scalar, z.array(Scalar).max(maxListItems)], {
  error: "must be a text, a number, true or false, or a list of these",
});
export type ParameterValue = z.infer<typeof ParameterValue>;

export const ParameterValues = z.record(ParameterName, ParameterValue);
export type ParameterValues = z.infer<typeof ParameterValues>;

/** Stored values, which were validated before. There can be many, so they are not validated again. */
export const StoredParameterValues = z
  .custom<ParameterValues>((value) => typeof value === "object" && value !== null)
  .describe("The values of parameters, by name");
