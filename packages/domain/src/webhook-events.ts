import { z } from "zod";
import { Id } from "./ids.ts";

export const WebhookEventType = z.enum([
  "automation.run.completed",
  "automation.run.failed",
  "audit.entry.created",
]);
export type WebhookEventType = z.infer<typeof WebhookEventType>;

const run = { automationId: Id, runId: Id };

/** The events of automations, which an endpoint gets unless it asks for fewer. */
export const automationEventTypes = [
  "automation.run.completed",
  "automation.run.failed",
] as const satisfies WebhookEventType[];

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
