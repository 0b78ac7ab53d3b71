import { z } from "zod";
import { Id } from "./ids.ts";
import { Text } from "./text.ts";

const maxSqlLength = 20_000;
const anySql = Text.max(maxSqlLength, `must have at most ${maxSqlLength} characters`);
const Sql = anySql.refine((sql) => sql.trim() !== "", "must not be empty");
const shortText = Text.trim().min(1, "must not be empty").max(2000, "must have at most 2000 characters");

const onDatabase = {
  analyticalDatabaseConfigId: Id,
  schema: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("Where tables are listed by schema: the one whose tables are meant"),
};

/** What a member asks the organization's model. */
export const AskForHelp = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("write"),
    ...onDatabase,
    question: shortText,
    sql: anySql.optional().describe("The statement to change, if there is one"),
  }),
  z.strictObject({ kind: z.literal("explain"), ...onDatabase, sql: Sql }),
  z.strictObject({
    kind: z.literal("fix"),
    ...onDatabase,
    sql: Sql,
    error: shortText.describe("What the database says"),
  }),
  z.strictObject({ kind: z.literal("faster"), ...onDatabase, sql: Sql }),
]);
export type AskForHelp = z.infer<typeof AskForHelp>;

export const HelpRequestId = z.strictObject({ id: Id });
export type HelpRequestId = z.infer<typeof HelpRequestId>;

const HelpText = z.string().describe("Plain text, written by the model");

/** What is being done for an answer; at last the answer. */
export const HelpProgress = z.discriminatedUnion("stage", [
  z.object({ stage: z.literal("reading") }),
  z.object({ stage: z.literal("waiting") }),
  z.object({ stage: z.literal("writing"), text: HelpText }),
  z.object({
    stage: z.literal("answered"),
    text: HelpText,
    sql: z.string().nullable().describe("The statement that the model suggests; null if it wrote none"),
  }),
]);
export type HelpProgress = z.infer<typeof HelpProgress>;
