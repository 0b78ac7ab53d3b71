import { z } from "zod";
import { Id } from "./ids.ts";
import { maxListItems } from "./parameter-limits.ts";
import { OneLine, Text } from "./text.ts";

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

const maxDefaultCharacters = 100_000;

/** Definitions as a query or a reference is given them. */
export const ParameterDefinitions = z
  .array(ParameterDefinition.extend({ displayName: OneLine.max(200) }))
  .max(100, "must be at most 100")
  .refine(
    (definitions) =>
      definitions.reduce((sum, { defaultValue = "" }) => sum + defaultValue.length, 0) <=
      maxDefaultCharacters,
    `must have defaults of at most ${maxDefaultCharacters} characters together`,
  )
  .refine(
    (definitions) => new Set(definitions.map(({ name }) => name)).size === definitions.length,
    "must have different names",
  );

const ColumnName = Text.min(1).max(1000).optional();

/** The values that a field offers. They help with the input and are no check: a run takes other values too. */
export const Choices = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("list"),
    items: z
      .array(z.strictObject({ value: Text.max(1000), label: OneLine.max(200).optional() }))
      .min(1, "must not be empty")
      .max(1000, "must be at most 1000: take the values of a query instead"),
  }),
  z.strictObject({
    kind: z.literal("query"),
    queryId: Id.describe("The query whose rows are the choices"),
    valueColumn: ColumnName.describe("The first column if absent"),
    labelColumn: ColumnName.describe("The second column if absent, or the value if there is none"),
    dependsOn: z
      .array(ParameterName)
      .max(20)
      .describe("Parameters whose values go to the placeholders of the same names in that query"),
  }),
]);
export type Choices = z.infer<typeof Choices>;

const ChoicesByName = z.record(ParameterName, Choices).describe("The choices of parameters, by name");

/** Two parameters of the type `date` that are shown as one range of days. */
export const DateRange = z.strictObject({
  displayName: OneLine.max(200),
  start: ParameterName,
  end: ParameterName,
  includesEnd: z
    .boolean()
    .describe("Whether `end` is the last day of the range; otherwise it is the day after the last"),
});
export type DateRange = z.infer<typeof DateRange>;

/** What a page shows for the values of a query or a reference. */
export const ParameterInputs = z.object({
  definitions: z.array(ParameterDefinition),
  choices: ChoicesByName,
  ranges: z.array(DateRange),
});
export type ParameterInputs = z.infer<typeof ParameterInputs>;

/** The parameters of a query, to be edited. */
export const QueryParameters = ParameterInputs.extend({
  version: z.int().describe("Incremented with each change; 0 before the first"),
});
export type QueryParameters = z.infer<typeof QueryParameters>;

/** Definitions, choices and ranges as they are given. */
export const givenInputs = {
  definitions: ParameterDefinitions,
  choices: ChoicesByName.default({}),
  ranges: z.array(DateRange).max(20, "must be at most 20").default([]),
};

/** Replaces all definitions, choices and ranges. */
export const SetParameters = z.strictObject({
  id: Id,
  version: z
    .int()
    .min(0)
    .describe("The version on which the change is based. Fails with `query_changed` if there is a newer one"),
  ...givenInputs,
});
export type SetParameters = z.infer<typeof SetParameters>;

const baseWords = "The parameters of the query that were changed, as they were read; null for a new query";

/** The parameters that a draft gives its query when it is saved: they replace those of the query. */
export const GivenDraftParameters = z.strictObject({
  base: z
    .strictObject({ version: z.int().min(0), ...givenInputs })
    .nullable()
    .describe(baseWords),
  ...givenInputs,
});

export const DraftParameters = ParameterInputs.extend({
  base: QueryParameters.nullable().describe(baseWords),
});
export type DraftParameters = z.infer<typeof DraftParameters>;

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
