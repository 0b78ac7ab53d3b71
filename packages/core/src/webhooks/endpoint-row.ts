import type { Prisma } from "@querybell/db";
import { WebhookEndpoint, type WebhookSecret } from "@querybell/domain";
import { openHeaders } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { ifOpened } from "./if-opened.ts";

type Row = Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] };

/** How many deliveries of an endpoint wait, by their state. */
export type Unfinished = Pick<WebhookEndpoint, "pending" | "held">;

/** An endpoint as its organization's admins see it: everything but its secrets' texts. */
export const toEndpoint = (
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  row: Row,
  unfinished: Unfinished,
): WebhookEndpoint =>
  WebhookEndpoint.parse({
    ...row,
    // One endpoint whose key is gone must not hide the others, nor itself from the admin who can mend it.
    headers: ifOpened(() => openHeaders(sealer, row.id, row.sealedHeaders)) ?? null,
    ...unfinished,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    secrets: row.secrets.map((secret) => toSecret(secret, clock.now())),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

/** One that was withdrawn before it ever signed is expired too, though its time to sign is still ahead. */
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
