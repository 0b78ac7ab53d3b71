import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";
import { WebhookEventType } from "./webhook-events.ts";

/** Events in a row whose every attempt failed, after which an endpoint is disabled. */
export const maxConsecutiveFailures = 5;

export const WebhookEndpointState = z.enum(["enabled", "disabled"]);
export type WebhookEndpointState = z.infer<typeof WebhookEndpointState>;

const settings = {
  url: z.string().min(1, "must not be empty").max(2048, "must have at most 2048 characters"),
  description: z.string().trim().max(200, "must have at most 200 characters"),
  eventTypes: z
    .array(WebhookEventType)
    .min(1, "must name at least one event type")
    .transform((types) => [...new Set(types)].sort()),
  headers: z.record(z.string(), z.string()),
  standardWebhooks: z.boolean(),
  maxInFlight: z.int().min(1, "must be at least 1").max(256, "must be at most 256"),
  maxPerSecond: z.int().min(1, "must be at least 1").max(10_000, "must be at most 10000").nullable(),
};

export const CreateWebhookEndpoint = z.strictObject({
  ...settings,
  description: settings.description.default(""),
  headers: settings.headers.default({}),
  standardWebhooks: settings.standardWebhooks.default(false),
  maxInFlight: settings.maxInFlight.default(32),
  maxPerSecond: settings.maxPerSecond.default(null),
});
export type CreateWebhookEndpoint = z.infer<typeof CreateWebhookEndpoint>;

export const WebhookEndpointId = z.strictObject({ id: Id });
export type WebhookEndpointId = z.infer<typeof WebhookEndpointId>;

/** Absent fields stay as they are. */
export const UpdateWebhookEndpoint = z.strictObject({ id: Id, ...z.object(settings).partial().shape });
export type UpdateWebhookEndpoint = z.infer<typeof UpdateWebhookEndpoint>;

/** How many deliveries a second a recovery adds to what is sent anyway. */
export const RecoveryPace = z
  .int()
  .min(1, "must be at least 1")
  .max(1_000, "must be at most 1000")
  .default(10);

/** What becomes of the deliveries that were held meanwhile has to be said. */
export const EnableWebhookEndpoint = z.discriminatedUnion("held", [
  z.strictObject({ id: Id, held: z.literal("deliver"), perSecond: RecoveryPace }),
  z.strictObject({ id: Id, held: z.literal("drop") }),
]);
export type EnableWebhookEndpoint = z.infer<typeof EnableWebhookEndpoint>;

export const WebhookSecret = z.object({
  id: Id,
  /** One whose `expiresAt` has passed is expired, also when it was withdrawn before `signsFrom`. */
  state: z.enum(["next", "signing", "expired"]),
  createdAt: Timestamp,
  signsFrom: Timestamp,
  expiresAt: Timestamp.nullable(),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const WebhookEndpoint = z.object({
  id: Id,
  ...settings,
  /** Null: they were sealed with a key that this deployment no longer has. An update sets them again. */
  headers: settings.headers.nullable(),
  eventTypes: z.array(WebhookEventType),
  state: WebhookEndpointState,
  disabledReason: z.enum(["failures", "admin"]).nullable(),
  disabledAt: Timestamp.nullable(),
  consecutiveFailures: z.int(),
  /** Deliveries that wait for their first or next attempt, or are in flight. */
  pending: z.int(),
  /** Deliveries that wait for this endpoint to be enabled. */
  held: z.int(),
  secrets: z.array(WebhookSecret),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** The answer to making a secret: the only time its text is shown. */
export const RevealedWebhookSecret = WebhookSecret.extend({ secret: z.string() });
export type RevealedWebhookSecret = z.infer<typeof RevealedWebhookSecret>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({ secret: RevealedWebhookSecret });
export type CreatedWebhookEndpoint = z.infer<typeof CreatedWebhookEndpoint>;

/** The present secret signs for `overlapHours` more; by then the receiver must know the new one. */
export const RotateWebhookSecret = z.strictObject({
  id: Id,
  overlapHours: z.number().min(0, "must be at least 0").max(168, "must be at most 168 (a week)").default(24),
});
export type RotateWebhookSecret = z.infer<typeof RotateWebhookSecret>;

export const WebhookEndpointHealth = z.object({
  since: Timestamp,
  attempts: z.object({ succeeded: z.int(), failed: z.int() }),
  /** Deliveries made since then, by what became of them. */
  deliveries: z.object({
    pending: z.int(),
    held: z.int(),
    succeeded: z.int(),
    exhausted: z.int(),
    cancelled: z.int(),
    dropped: z.int(),
  }),
  /** Milliseconds of an attempt; null without one. */
  medianMs: z.number().nullable(),
  p95Ms: z.number().nullable(),
  /** Attempts in each of the 24 hours since then, by when they ended; `from` is when the hour begins. */
  hours: z.array(z.object({ from: Timestamp, succeeded: z.int(), failed: z.int() })),
  lastSuccessAt: Timestamp.nullable(),
  lastFailure: z.object({ at: Timestamp, outcome: z.string(), sentence: z.string() }).nullable(),
});
export type WebhookEndpointHealth = z.infer<typeof WebhookEndpointHealth>;
