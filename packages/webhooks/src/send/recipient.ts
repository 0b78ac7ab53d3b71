import { createHmac, type KeyObject } from "node:crypto";
import type { WebhookEndpointKind } from "@querybell/domain";
import type { Guard, Refusal, Target } from "@querybell/guard";
import { checkCustomHeaders } from "./custom-headers.ts";

interface RecipientSettings {
  /** Default: `mcp` with a subscription, otherwise `webhook`. */
  kind?: WebhookEndpointKind;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Whether to send the headers of Standard Webhooks too. */
  standardWebhooks: boolean;
  /** Whether to send the trace of an attempt too, as the header `traceparent`. */
  sendsTraceparent: boolean;
  /** Given for a subscription over MCP, whose requests have other headers. */
  subscriptionId?: string | null;
}

/** Where and how events are sent to an endpoint: everything that does not depend on the event. */
export interface Recipient {
  kind: WebhookEndpointKind;
  /** The parsed URL, or why the guard refuses it: then every attempt ends with this refusal. */
  target: Target | Refusal;
  /** For the log: in the spelling in which it is requested; as it was set, if the guard refuses it. */
  url: string;
  /** The headers that are the same for every event: name, value, name, value … */
  fixedHeaders: readonly string[];
  /** Names of the custom headers in lower case. The log hides their values. */
  maskedHeaders: ReadonlySet<string>;
  standardWebhooks: boolean;
  sendsTraceparent: boolean;
  /** Undefined for an endpoint of an admin. */
  subscriptionId: string | undefined;
}

export function createRecipient(settings: RecipientSettings, guard: Guard): Recipient {
  const [flaw] = checkCustomHeaders(settings.headers);
  if (flaw) throw new Error(`${flaw.path} ${flaw.message}.`);
  const target = guard.parseTarget(settings.url);
  const maskedHeaders = new Set(Object.keys(settings.headers).map((name) => name.toLowerCase()));
  const subscriptionId = settings.subscriptionId ?? undefined;
  return {
    kind: settings.kind ?? (subscriptionId === undefined ? "webhook" : "mcp"),
    target,
    url: target.kind === "target" ? target.href : settings.url,
    fixedHeaders: [
      ...Object.entries(settings.headers).flat(),
      ...["user-agent", "Querybell-Webhooks"],
      // Responses are never decompressed, so none are asked for in a compressed form.
      ...["accept-encoding", "identity"],
    ],
    maskedHeaders,
    standardWebhooks: settings.standardWebhooks,
    // A custom header of this name counts.
    sendsTraceparent: settings.sendsTraceparent && !maskedHeaders.has("traceparent"),
    subscriptionId,
  };
}

interface SignedRequest {
  event: OutgoingEvent;
  /** Several only while the secret of a subscription is being replaced. None for a destination: nothing is signed. */
  keys: readonly KeyObject[];
  /** Unix time in seconds. */
  timestamp: number;
  /** The trace of the attempt; undefined without tracing. */
  traceparent: string | undefined;
}

/** All headers of one attempt: name, value, name, value … */
export function createHeaders(
  { fixedHeaders, standardWebhooks, sendsTraceparent, subscriptionId }: Recipient,
  { event, keys, timestamp, traceparent }: SignedRequest,
): string[] {
  const signatures = keys.map((key) => sign(key, timestamp, event));
  const sentAt = String(timestamp);
  const headers = [...fixedHeaders, "content-type", event.contentType ?? "application/json"];
  if (keys.length === 0) return headers;
  if (subscriptionId === undefined) {
    headers.push("svc-webhook-id", event.id, "svc-webhook-timestamp", sentAt);
    headers.push("svc-webhook-signature", signatures.map((one) => `v1=${one.toString("hex")}`).join(" "));
  } else {
    headers.push("X-MCP-Subscription-Id", subscriptionId);
  }
  if (standardWebhooks || subscriptionId !== undefined) {
    headers.push("webhook-id", event.id, "webhook-timestamp", sentAt);
    headers.push("webhook-signature", signatures.map((one) => `v1,${one.toString("base64")}`).join(" "));
  }
  if (sendsTraceparent && traceparent !== undefined) headers.push("traceparent", traceparent);
  return headers;
}

/** An event as it is sent. Every attempt sends the same bytes. */
export interface OutgoingEvent {
  id: string;
  body: Uint8Array;
  /** Default: `application/json`. */
  contentType?: string;
}

/** HMAC-SHA-256 over the bytes of `<id>.<timestamp>.<raw body>`. */
export function sign(key: KeyObject, timestamp: number, { id, body }: OutgoingEvent): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
