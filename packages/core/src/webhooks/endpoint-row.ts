import type { Prisma } from "@querybell/db";
import {
  type WebhookEndpoint,
  WebhookEndpointState,
  WebhookEventType,
  type WebhookSecret,
} from "@querybell/domain";
import { openHeaders } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { unsealOrUndefined } from "./unseal-or-undefined.ts";

type EndpointRow = Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] };

/** How many unfinished deliveries an endpoint has, by state. */
export type UnfinishedCounts = Pick<WebhookEndpoint, "pending" | "held">;

/** An endpoint as its organization's admins see it: without the texts of its secrets. */
export const toEndpoint = (
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  row: EndpointRow,
  unfinished: UnfinishedCounts,
): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  eventTypes: WebhookEventType.array().parse(row.eventTypes),
  // Null if the sealing key is gone. The endpoint is still listed, so that an admin can set the headers again.
  headers: unsealOrUndefined(() => openHeaders(sealer, row.id, row.sealedHeaders)) ?? null,
  standardWebhooks: row.standardWebhooks,
  sendsTraceparent: row.sendsTraceparent,
  maxInFlight: row.maxInFlight,
  maxPerSecond: row.maxPerSecond,
  state: WebhookEndpointState.parse(row.state),
  disabledReason: row.disabledReason,
  disabledAt: row.disabledAt?.toISOString() ?? null,
  consecutiveFailures: row.consecutiveFailures,
  ...unfinished,
  secrets: row.secrets.map((secret) => toSecret(secret, clock.now())),
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** A secret that was withdrawn before `signsFrom` is expired, although `signsFrom` is still in the future. */
export function secretState(
  { signsFrom, expiresAt }: Pick<Prisma.WebhookSecretModel, "signsFrom" | "expiresAt">,
  now: Date,
): WebhookSecret["state"] {
  if (expiresAt && expiresAt <= now) return "expired";
  return signsFrom > now ? "next" : "signing";
}

export const toSecret = (row: Prisma.WebhookSecretModel, now: Date): WebhookSecret => ({
  id: row.id,
  state: secretState(row, now),
  createdAt: row.createdAt.toISOString(),
  signsFrom: row.signsFrom.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
});
