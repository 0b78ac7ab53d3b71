import { z } from "zod";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

const ModelUrl = z
  .url({ protocol: /^https?$/, error: "must be an address like https://models.example.com/v1" })
  .max(2000, "must have at most 2000 characters")
  .meta({ examples: ["http://10.0.0.5:8000/v1"] });
const ModelName = nameUpTo(200);
const ApiKey = Text.max(2000, "must have at most 2000 characters");

/** A server that speaks the OpenAI-compatible protocol, and one of its models. */
export const ModelConnection = z.strictObject({
  url: ModelUrl.describe("Up to the part before `/chat/completions`"),
  name: ModelName.describe("As the server calls the model"),
  apiKey: ApiKey.nullable()
    .optional()
    .describe("Null for none. Left out, the saved one stays, if the server stays the same"),
});
export type ModelConnection = z.infer<typeof ModelConnection>;

const MonthlyTokens = z
  .int()
  .min(0, "must be at least 0")
  .max(1_000_000_000, "must be at most 1000000000")
  .describe("The most tokens a calendar month (UTC), for automations and help with SQL together");

/** Null as a connection: the model that the operator has set up. */
export const UpdateModel = z.strictObject({
  connection: ModelConnection.nullable(),
  monthlyTokens: MonthlyTokens,
  consent: z
    .literal(true, "must be true: rows of results leave for the model's server")
    .describe("That rows of results, which may be personal data, are sent to this server"),
});
export type UpdateModel = z.infer<typeof UpdateModel>;

/** Replaces the count of a month, which a model's server may have got wrong. */
export const CorrectModelUsage = z.strictObject({
  month: z
    .string()
    .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "must be a month like 2026-11")
    .describe("In UTC")
    .meta({ examples: ["2026-11"] }),
  tokens: z
    .int()
    .min(0, "must be at least 0")
    .max(1_000_000_000, "must be at most 1000000000")
    .describe("What counts as used from now on"),
});
export type CorrectModelUsage = z.infer<typeof CorrectModelUsage>;

export const TestModel = z.strictObject({
  connection: ModelConnection.nullable().describe("Null for the model that the operator has set up"),
});
export type TestModel = z.infer<typeof TestModel>;

export const TestedModel = z.object({ text: z.string().describe("What the model answered") });
export type TestedModel = z.infer<typeof TestedModel>;

/** Which model automations use. */
export const ModelSettings = z.object({
  isReady: z.boolean().describe("Whether the agent `model` can be chosen"),
  missing: z.string().nullable().describe("What to do before it can; null if nothing is missing"),
  source: z.enum(["organization", "operator"]).nullable(),
  url: z.string().nullable(),
  name: z.string().nullable(),
  hasApiKey: z.boolean(),
  operatorModel: z
    .object({ url: z.string(), name: z.string() })
    .nullable()
    .describe("What the operator of this deployment has set up for all"),
  monthlyTokens: z.int(),
  usedTokens: z.int().describe("In this calendar month (UTC)"),
  consentedAt: Timestamp.nullable(),
});
export type ModelSettings = z.infer<typeof ModelSettings>;
