import { z } from "zod";
import { ColumnName, RowFilter, RowFilters } from "./conditions.ts";
import { Id } from "./ids.ts";
import { ParameterValues } from "./parameters.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** The most messages of one run. */
export const maxRecipientMessages = 500;

const maxValueCharacters = 320;

const Choice = z.strictObject({
  value: Text.min(1, "must not be empty").max(
    maxValueCharacters,
    `must have at most ${maxValueCharacters} characters`,
  ),
  destinationId: Id,
});

/** One automation, many people: each row of a chart goes to whom a column of it names. */
export const AutomationRecipients = z.strictObject({
  shortId: Text.max(200).describe(
    "The chart whose rows are sent: one of the automation's references; the first, if it has the chart with several values",
  ),
  column: ColumnName.describe("The column that says who gets a row"),
  to: z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("addresses").describe("The column has mail addresses"),
      destinationId: Id.describe("A mail destination with `rowRecipients`, which say who may be written to"),
    }),
    z.strictObject({
      kind: z.literal("destinations").describe("Each value of the column has a destination"),
      choices: z
        .array(Choice)
        .min(1, "must have at least one value")
        .max(100, "must be at most 100")
        .refine(
          (choices) => new Set(choices.map(({ value }) => value)).size === choices.length,
          "must not name a value twice",
        ),
    }),
  ]),
  where: RowFilters.describe("Only rows for which all of these hold"),
  maxMessages: z
    .int()
    .min(1, "must be at least 1")
    .max(maxRecipientMessages, `must be at most ${maxRecipientMessages}`)
    .default(100)
    .describe("A run with more recipients fails and sends nothing to them"),
  csv: z.boolean().default(false).describe("Whether mails have the rows as a CSV file"),
});
export type AutomationRecipients = z.infer<typeof AutomationRecipients>;

/** As it is stored and shown: without the limits of the input. */
export const StoredRecipients = z.object({
  shortId: z.string(),
  column: z.string(),
  to: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("addresses"), destinationId: Id }),
    z.object({
      kind: z.literal("destinations"),
      choices: z.array(z.object({ value: z.string(), destinationId: Id })),
    }),
  ]),
  where: z.array(RowFilter),
  maxMessages: z.int(),
  csv: z.boolean(),
});
export type StoredRecipients = z.infer<typeof StoredRecipients>;

/** The destinations that recipients name, each once. */
export const destinationsOf = ({ to }: Pick<StoredRecipients, "to">): string[] =>
  to.kind === "addresses"
    ? [to.destinationId]
    : [...new Set(to.choices.map(({ destinationId }) => destinationId))];

/** Why a recipient gets nothing. */
export const RecipientRefusal = z.enum(["not_an_address", "not_allowed", "no_destination"]);
export type RecipientRefusal = z.infer<typeof RecipientRefusal>;

export const PreviewRecipients = z.strictObject({
  recipients: AutomationRecipients,
  parameterValues: ParameterValues.default({}).describe("Of the chart"),
});
export type PreviewRecipients = z.infer<typeof PreviewRecipients>;

/** How many recipients and rows of each a preview shows. */
export const recipientsPreviewLimits = { recipients: 100, rows: 5, columns: 8 } as const;

const recipient = {
  recipient: z.string().describe("A mail address, or a value of the column"),
  rowCount: z.int(),
};

/** Who would get what, from the latest result. */
export const RecipientsPreview = z.object({
  resultAt: Timestamp.describe("When the result was computed"),
  problem: z.string().nullable().describe("Why a run with this result would fail"),
  recipients: z
    .array(
      z.object({
        ...recipient,
        refusal: RecipientRefusal.nullable().describe("Why this recipient would get nothing"),
        columns: z.array(z.string()),
        rows: z.array(z.array(z.string())).describe("The first rows, as texts"),
      }),
    )
    .describe(`The first ${recipientsPreviewLimits.recipients}, in the order of the rows`),
  recipientCount: z.int().describe("All recipients, those that would get nothing too"),
  emptyCount: z.int().describe("Rows that name nobody"),
});
export type RecipientsPreview = z.infer<typeof RecipientsPreview>;

export const maxLeftOutRecipients = 100;

/** Who got a message of a run. */
export const RunRecipients = z.object({
  told: z.array(
    z.object({
      ...recipient,
      eventId: Id.describe("The event of its message in the log of deliveries"),
    }),
  ),
  leftOut: z
    .array(z.object({ ...recipient, refusal: RecipientRefusal }))
    .describe(`The first ${maxLeftOutRecipients}`),
  leftOutCount: z.int(),
  emptyCount: z.int().describe("Rows that named nobody"),
});
export type RunRecipients = z.infer<typeof RunRecipients>;

/** The type of the event that carries the rows of one recipient. It goes to one destination, and to no endpoint. */
export const recipientEventType = "automation.recipient.told";

/** What the event has of one recipient: only their rows. */
export const RecipientMessage = z.object({
  automationId: Id,
  runId: Id,
  recipient: z.string(),
  /** The address to write to; null: those of the destination. */
  address: z.string().nullable(),
  /** Whether it is the address of a member, who can open the chat. */
  isMember: z.boolean(),
  /** Whether a mail has the rows as a file, too. */
  csv: z.boolean(),
  chart: z.string().describe("The title of the chart"),
  rowCount: z.int(),
  columns: z.array(z.string()),
  /** The first rows, exactly; null is an empty cell. */
  rows: z.array(z.array(z.string().nullable())),
});
export type RecipientMessage = z.infer<typeof RecipientMessage>;
