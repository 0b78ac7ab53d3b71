import { z } from "zod";
import { recipientEventType } from "./automation-recipients.ts";
import { DestinationKind } from "./destinations.ts";
import { Id } from "./ids.ts";
import { ListPage, pageOf } from "./pages.ts";
import { Moment, Timestamp } from "./time.ts";
import { WebhookEventType } from "./webhook-events.ts";

export const WebhookDeliveryState = z.enum([
  "pending",
  "held",
  "succeeded",
  "exhausted",
  "cancelled",
  "dropped",
]);
export type WebhookDeliveryState = z.infer<typeof WebhookDeliveryState>;

/** An endpoint of an admin, the subscription of a program over MCP, or a destination of automations. */
const WebhookEndpointKind = z.enum(["webhook", "mcp", ...DestinationKind.options]);
export type WebhookEndpointKind = z.infer<typeof WebhookEndpointKind>;

/** An event that endpoints can ask for, or one that goes to a single destination. */
const DeliveredEventType = z.enum([...WebhookEventType.options, recipientEventType]);

const WebhookDeliveryKind = z.enum(["normal", "resend", "recovery", "test"]);

/** Newest first. Every filter is optional; `cursor` is the `nextCursor` of the page before. */
export const SearchWebhookDeliveries = ListPage.extend({
  endpointId: Id.optional(),
  eventId: Id.optional(),
  type: DeliveredEventType.optional(),
  state: WebhookDeliveryState.optional(),
  from: Moment.optional(),
  until: Moment.optional(),
}).refine(({ from, until }) => !from || !until || from <= until, {
  path: ["until"],
  error: "must not lie before from",
});
export type SearchWebhookDeliveries = z.infer<typeof SearchWebhookDeliveries>;

export const WebhookDelivery = z.object({
  id: Id,
  eventId: Id,
  endpointId: Id,
  endpointUrl: z.string(),
  endpointKind: WebhookEndpointKind.describe(
    "`webhook` for an endpoint of an admin, `mcp` for the subscription of a program, others for destinations",
  ),
  endpointDescription: z.string().describe("The description of an endpoint, the name of a destination"),
  type: DeliveredEventType.describe(
    "`automation.recipient.told`: the rows of one recipient, which goes to one destination",
  ),
  kind: WebhookDeliveryKind,
  state: WebhookDeliveryState,
  attemptCount: z.int(),
  nextAttemptAt: Timestamp.nullable().describe("The time of the next attempt; null unless it is pending"),
  lastOutcome: z.string().nullable().describe("The outcome of the last attempt"),
  createdAt: Timestamp,
  stateChangedAt: Timestamp,
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryPage = pageOf(WebhookDelivery);
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>;

/** How the body of a response ended: `cut` after the first bytes that are kept, `broken` by the connection. */
export const WebhookBodyEnd = z.enum(["complete", "cut", "deadline", "broken"]);

const Header = z.object({ name: z.string(), value: z.string() });

export const WebhookAttempt = z.object({
  number: z.int(),
  outcome: z.string(),
  sentence: z.string(),
  startedAt: Timestamp,
  endedAt: Timestamp,
  url: z
    .string()
    .nullable()
    .describe(
      "The URL at the time of the attempt; null for attempts of older releases, which did not record it",
    ),
  address: z.string().nullable().describe("The IP address of the connection"),
  reusedConnection: z.boolean(),
  requestHeaders: z.array(Header).describe("The headers as sent; values of custom headers are masked"),
  response: z
    .object({
      status: z.int(),
      headers: z.array(Header),
      body: z
        .string()
        .describe("The first 4 KiB as text; bytes that are not UTF-8 show as replacement characters"),
      bodyBytes: z.int(),
      bodyEnd: WebhookBodyEnd,
    })
    .nullable(),
  timings: z
    .object({
      dns: z.number().nullable(),
      connect: z.number().nullable(),
      tls: z.number().nullable(),
      firstByte: z.number().nullable(),
      total: z.number(),
    })
    .describe("Milliseconds; null for a skipped step, such as connecting on a reused connection"),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const WebhookDeliveryId = z.strictObject({ id: Id });
export type WebhookDeliveryId = z.infer<typeof WebhookDeliveryId>;

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  body: z.string().describe("The body exactly as every attempt sends it"),
  attempts: z.array(WebhookAttempt),
});
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

/** `secret` is the one that the receiver uses. The answer says whether it signed the delivery. */
export const DebugWebhookSignature = z.strictObject({
  deliveryId: Id,
  attempt: z.int().min(1).max(8),
  secret: z
    .string()
    .max(200)
    .optional()
    .describe("The receiver's secret, to compare it with the one that signed"),
});
export type DebugWebhookSignature = z.infer<typeof DebugWebhookSignature>;

export const GivenWebhookSecret = z.object({
  readable: z.boolean(),
  matches: z.boolean().describe("Whether it is the secret that signed"),
  signature: z.string().nullable(),
  secretId: Id.nullable().describe(
    "The endpoint's secret, also a replaced one, that it equals; null if it equals none",
  ),
  reason: z.enum([
    "signed_this",
    "next",
    "newer",
    "replaced",
    "unknown",
    "empty",
    "surrounded",
    "no_prefix",
    "too_short",
    "too_long",
    "not_base64",
  ]),
  sentence: z.string().describe("The reason in words, and what to do"),
});
export type GivenWebhookSecret = z.infer<typeof GivenWebhookSecret>;

export const WebhookSignatureExplained = z.object({
  signedContent: z.string().describe("`<id>.<timestamp>.<raw body>`: exactly what was signed"),
  signedBytes: z.int(),
  timestamp: z.string(),
  signature: z.string(),
  secret: z
    .object({ id: Id, known: z.boolean(), createdAt: Timestamp.nullable() })
    .describe("The secret that signed; `known` is false if it was deleted since"),
  reproduced: z
    .boolean()
    .nullable()
    .describe(
      "Whether signing the same bytes again gives the same signature; null if the secret was deleted",
    ),
  given: GivenWebhookSecret.nullable().describe("About the secret of the request"),
});
export type WebhookSignatureExplained = z.infer<typeof WebhookSignatureExplained>;

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * The waits after attempts 1, 2 and so on; the failure after the last wait exhausts a delivery. A receiver of MCP may not
 * have stored its subscription yet when the first event arrives, so its first wait is short.
 */
const waits = {
  webhook: [30 * second, 2 * minute, 8 * minute, 32 * minute, 2 * hour, 8.5 * hour, 24 * hour],
  mcp: [5 * second, 30 * second, 2 * minute, 8 * minute, 32 * minute, 2 * hour],
};

export const maxWebhookAttempts = waits.webhook.length + 1;

const maxJitter = 0.1;

interface FailedAttempt {
  kind: WebhookEndpointKind;
  /** 1 for the first attempt. */
  number: number;
  endedAt: Date;
  /** How long the receiver asks us to wait. It replaces the wait of our own. */
  retryAfterMs?: number | undefined;
}

/** When to try again after an attempt failed; undefined after the last. */
export function nextAttemptAt(
  { kind, number, endedAt, retryAfterMs }: FailedAttempt,
  random: () => number,
): Date | undefined {
  const wait = waits[kind === "mcp" ? "mcp" : "webhook"][number - 1];
  if (wait === undefined) return undefined;
  return new Date(endedAt.getTime() + (retryAfterMs ?? wait) * (1 + random() * maxJitter));
}
