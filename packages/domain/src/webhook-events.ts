import { z } from "zod";
import { maxToldFacts, ToldFact } from "./automation-conditions.ts";
import { ChangedRowsCounts, ChangedRowsPart, changedRowsLimits } from "./changed-rows.ts";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

export const WebhookEventType = z.enum([
  "automation.run.completed",
  "automation.run.failed",
  "automation.condition.met",
  "automation.condition.resolved",
  "automation.rows.changed",
  "audit.entry.created",
]);
export type WebhookEventType = z.infer<typeof WebhookEventType>;

const run = { automationId: Id, runId: Id };

/** The events of the ends of runs, which an endpoint gets unless it asks for others. */
export const runEventTypes = [
  "automation.run.completed",
  "automation.run.failed",
] as const satisfies WebhookEventType[];

/** All events of automations. */
export const automationEventTypes = [
  ...runEventTypes,
  "automation.condition.met",
  "automation.condition.resolved",
  "automation.rows.changed",
] as const satisfies WebhookEventType[];

const chart = z.string().describe("The short id of the chart that was judged");

const condition = {
  ...run,
  chart,
  since: Timestamp.describe("Since when it is met, or was until now"),
  facts: z.array(ToldFact).max(maxToldFacts).describe("The values that it was judged by"),
  chatUrl: z.url(),
};

/**
 * What happened, by type: the `data` of the envelope that is sent. The events of the audit log are not among them: a
 * trigger of its table makes them.
 */
export const WebhookOccurrence = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("automation.run.completed"),
    data: z.strictObject({ ...run, summary: z.string(), chatUrl: z.url(), imageUrl: z.null() }),
  }),
  z.strictObject({
    type: z.literal("automation.run.failed"),
    data: z.strictObject({ ...run, reason: z.string() }),
  }),
  z.strictObject({
    type: z.literal("automation.condition.met"),
    data: z.strictObject({
      ...condition,
      isAgain: z.boolean().describe("Whether it was told before, and still holds"),
    }),
  }),
  z.strictObject({
    type: z.literal("automation.condition.resolved"),
    data: z.strictObject(condition),
  }),
  z.strictObject({
    type: z.literal("automation.rows.changed"),
    data: z.strictObject({
      ...run,
      chart,
      part: z.int().min(1).max(changedRowsLimits.parts).describe("Which of the parts this is, from 1"),
      parts: z
        .int()
        .min(1)
        .max(changedRowsLimits.parts)
        .describe("How many events have the changed rows of the run: each row is in one of them"),
      ...ChangedRowsCounts.shape,
      ...ChangedRowsPart.shape,
      chatUrl: z.url(),
    }),
  }),
]);
export type WebhookOccurrence = z.infer<typeof WebhookOccurrence>;

interface Envelope {
  id: string;
  createdAt: Date;
  occurrence: WebhookOccurrence;
}

/** The bytes of an event, made once: every attempt at every endpoint sends exactly these. */
export const envelopeBytes = ({
  id,
  createdAt,
  occurrence: { type, data },
}: Envelope): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify({ id, type, createdAt: createdAt.toISOString(), data }));
