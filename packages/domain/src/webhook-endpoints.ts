import { z } from "zod";
import { Id } from "./ids.ts";
import { OneLine } from "./text.ts";
import { Timestamp } from "./time.ts";
import { WebhookEventType } from "./webhook-events.ts";
import { isEmptyFilter, NamedWebhookFilter, WebhookFilter } from "./webhook-filters.ts";

/** An endpoint is disabled after this many consecutive events that exhausted their attempts. */
export const maxConsecutiveFailures = 5;

export const WebhookEndpointState = z.enum(["enabled", "disabled"]);
export type WebhookEndpointState = z.infer<typeof WebhookEndpointState>;

const settings = {
  url: z.string().min(1, "must not be empty").max(2048, "must have at most 2048 characters"),
  description: OneLine.max(200, "must have at most 200 characters"),
  eventTypes: z
    .array(WebhookEventType)
    .min(1, "must name at least one event type")
    .transform((types) => [...new Set(types)].sort()),
  filter: WebhookFilter.nullable()
    .transform((filter) => (filter && isEmptyFilter(filter) ? null : filter))
    .describe("Which of these events it gets; null for all"),
  headers: z.record(z.string(), z.string()).describe("Custom headers of each delivery"),
  standardWebhooks: z.boolean().describe("Whether to also send the headers of Standard Webhooks"),
  sendsTraceparent: z
    .boolean()
    .describe("Whether to also send the header `traceparent`, while the operator has tracing on"),
  maxInFlight: z
    .int()
    .min(1, "must be at least 1")
    .max(256, "must be at most 256")
    .describe("Maximum number of concurrent requests"),
  maxPerSecond: z
    .int()
    .min(1, "must be at least 1")
    .max(10_000, "must be at most 10000")
    .nullable()
    .describe("Maximum number of requests per second; null for no limit"),
};

export const CreateWebhookEndpoint = z.strictObject({
  ...settings,
  description: settings.description.default(""),
  filter: settings.filter.default(null),
  headers: settings.headers.default({}),
  standardWebhooks: settings.standardWebhooks.default(false),
  sendsTraceparent: settings.sendsTraceparent.default(false),
  maxInFlight: settings.maxInFlight.default(32),
  maxPerSecond: settings.maxPerSecond.default(null),
});
export type CreateWebhookEndpoint = z.infer<typeof CreateWebhookEndpoint>;

export const WebhookEndpointId = z.strictObject({ id: Id });
export type WebhookEndpointId = z.infer<typeof WebhookEndpointId>;

/** Absent fields are not changed. */
export const UpdateWebhookEndpoint = z.strictObject({ id: Id, ...z.object(settings).partial().shape });
export type UpdateWebhookEndpoint = z.infer<typeof UpdateWebhookEndpoint>;

export const RecoveryPace = z
  .int()
  .min(1, "must be at least 1")
  .max(1_000, "must be at most 1000")
  .default(10)
  .describe("Maximum number of deliveries per second that this sends besides new ones");

/** `held` is required: whether the held deliveries are sent or dropped. */
export const EnableWebhookEndpoint = z.discriminatedUnion("held", [
  z.strictObject({ id: Id, held: z.literal("deliver"), perSecond: RecoveryPace }),
  z.strictObject({ id: Id, held: z.literal("drop") }),
]);
export type EnableWebhookEndpoint = z.infer<typeof EnableWebhookEndpoint>;

export const WebhookSecret = z.object({
  id: Id,
  state: z
    .enum(["next", "signing", "expired"])
    .describe("`expired` once `expiresAt` has passed, also if it was withdrawn before `signsFrom`"),
  createdAt: Timestamp,
  signsFrom: Timestamp,
  expiresAt: Timestamp.nullable(),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** Without the limits of the inputs: what is stored stays readable. */
export const WebhookEndpoint = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(WebhookEventType),
  filter: NamedWebhookFilter.nullable().describe("Which of these events it gets; null for all"),
  headers: settings.headers
    .nullable()
    .describe("Null: sealed with a key that this deployment no longer has. An update can set them again"),
  standardWebhooks: settings.standardWebhooks,
  sendsTraceparent: settings.sendsTraceparent,
  maxInFlight: z.int().describe("Maximum number of concurrent requests"),
  maxPerSecond: z.int().nullable().describe("Maximum number of requests per second; null for no limit"),
  state: WebhookEndpointState,
  disabledReason: z.enum(["failures", "admin"]).nullable(),
  disabledAt: Timestamp.nullable(),
  consecutiveFailures: z.int(),
  pending: z.int().describe("Deliveries that wait for their first or next attempt, or are in flight"),
  held: z.int().describe("Deliveries that wait for this endpoint to be enabled"),
  secrets: z.array(WebhookSecret),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** The answer to creating a secret. Its text is shown only here. */
export const RevealedWebhookSecret = WebhookSecret.extend({ secret: z.string() });
export type RevealedWebhookSecret = z.infer<typeof RevealedWebhookSecret>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({ secret: RevealedWebhookSecret });
export type CreatedWebhookEndpoint = z.infer<typeof CreatedWebhookEndpoint>;

/** The current secret signs for `overlapHours` more; by then the receiver must have the new one. */
export const RotateWebhookSecret = z.strictObject({
  id: Id,
  overlapHours: z
    .number()
    .min(0, "must be at least 0")
    .max(168, "must be at most 168 (a week)")
    .default(24)
    .describe("How long the current secret still signs; 0 replaces it at once"),
});
export type RotateWebhookSecret = z.infer<typeof RotateWebhookSecret>;

export const WebhookEndpointHealth = z.object({
  since: Timestamp,
  attempts: z.object({ succeeded: z.int(), failed: z.int() }),
  deliveries: z
    .object({
      pending: z.int(),
      held: z.int(),
      succeeded: z.int(),
      exhausted: z.int(),
      cancelled: z.int(),
      dropped: z.int(),
    })
    .describe("Deliveries created since then, by state"),
  medianMs: z
    .number()
    .nullable()
    .describe("Median duration of an attempt in milliseconds; null without attempts"),
  p95Ms: z.number().nullable(),
  hours: z
    .array(z.object({ from: Timestamp, succeeded: z.int(), failed: z.int() }))
    .describe(
      "Attempts in each of the 24 hours since then, by the time of their end; `from` is the start of the hour",
    ),
  lastSuccessAt: Timestamp.nullable(),
  lastFailure: z.object({ at: Timestamp, outcome: z.string(), sentence: z.string() }).nullable(),
});
export type WebhookEndpointHealth = z.infer<typeof WebhookEndpointHealth>;
