import { randomBytes } from "node:crypto";
import type { Tx } from "@querybell/db";
import { newId, type RevealedWebhookSecret } from "@querybell/domain";
import { sealSecret } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { toSecret } from "./endpoint-row.ts";

/** Makes and stores a secret. Its text is in the answer and nowhere else in the clear. */
export async function insertSecret(
  { tx, clock, sealer }: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  endpointId: string,
  signsFrom: Date,
): Promise<RevealedWebhookSecret> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const row = await tx.webhookSecret.create({
    data: {
      id: newId(clock),
      endpointId,
      sealed: sealSecret(sealer, endpointId, secret),
      createdAt: clock.now(),
      signsFrom,
    },
  });
  return { ...toSecret(row, clock.now()), secret };
}
