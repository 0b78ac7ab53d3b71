import type { Prisma } from "@querybell/db";
import { openHeaders } from "@querybell/delivery";
import { WebhookEndpoint, type WebhookSecret } from "@querybell/domain";
import type { Deps } from "../deps.ts";

type Row = Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] };

/** An endpoint as its organization's admins see it: everything but its secrets' texts. */
export const toEndpoint = (
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  row: Row,
  held: number,
): WebhookEndpoint =>
  WebhookEndpoint.parse({
    ...row,
    headers: openHeaders(sealer, row.id, row.sealedHeaders),
    held,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    secrets: row.secrets.map((secret) => toSecret(secret, clock.now())),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

export const toSecret = (row: Prisma.WebhookSecretModel, now: Date): WebhookSecret => ({
  id: row.id,
  state: row.signsFrom > now ? "next" : row.expiresAt && row.expiresAt <= now ? "expired" : "signing",
  createdAt: row.createdAt.toISOString(),
  signsFrom: row.signsFrom.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
});
