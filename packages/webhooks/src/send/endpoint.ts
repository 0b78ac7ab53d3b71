import type { KeyObject } from "node:crypto";
import type { Guard, RefusedAddress, RefusedUrl, Target } from "@querybell/guard";
import { checkCustomHeaders } from "./custom-headers.ts";
import { type OutgoingEvent, parseSecret, sign } from "./signing.ts";

export interface EndpointSettings {
  url: string;
  /** The one secret that signs, as shown to the customer. */
  secret: string;
  headers: Readonly<Record<string, string>>;
  /** Also send the Standard Webhooks headers. */
  standardWebhooks: boolean;
}

/** An endpoint with all the work done that does not depend on the event. Prepare once, send often. */
export interface PreparedEndpoint {
  /** Parsed by the guard for sending, as it was for saving: a refusal ends every attempt. */
  target: Target | RefusedUrl | RefusedAddress;
  /** As it is sent; as it was set, where it is refused. */
  url: string;
  key: KeyObject;
  /** Names and values in turn. */
  fixedHeaders: readonly string[];
  standardWebhooks: boolean;
}

export function prepareEndpoint(settings: EndpointSettings, guard: Guard): PreparedEndpoint {
  const [wrong] = checkCustomHeaders(settings.headers);
  if (wrong) throw new Error(`${wrong.path} ${wrong.message}.`);
  const target = guard.parseTarget(settings.url);
  return {
    target,
    url: target.kind === "target" ? target.href : settings.url,
    key: parseSecret(settings.secret),
    fixedHeaders: [
      ...Object.entries(settings.headers).flat(),
      ...["content-type", "application/json"],
      ...["user-agent", "Querybell-Webhooks"],
      // Nothing is ever inflated, so nothing compressed is asked for.
      ...["accept-encoding", "identity"],
    ],
    standardWebhooks: settings.standardWebhooks,
  };
}

/** The headers of one attempt, names and values in turn. */
export function signedHeaders(endpoint: PreparedEndpoint, event: OutgoingEvent, timestamp: number): string[] {
  const digest = sign(endpoint.key, timestamp, event);
  const sentAt = String(timestamp);
  const headers = [
    ...endpoint.fixedHeaders,
    "svc-webhook-id",
    event.id,
    "svc-webhook-timestamp",
    sentAt,
    "svc-webhook-signature",
    `v1=${digest.toString("hex")}`,
  ];
  if (endpoint.standardWebhooks) {
    headers.push("webhook-id", event.id, "webhook-timestamp", sentAt);
    headers.push("webhook-signature", `v1,${digest.toString("base64")}`);
  }
  return headers;
}
