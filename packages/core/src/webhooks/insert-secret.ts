import type { Tx } from "@querybell/db";
import { newId, type RevealedWebhookSecret } from "@querybell/domain";
import { createSecretText, sealSecret } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { toSecret } from "./endpoint-row.ts";

/** Creates a secret and stores it sealed. The returned text is shown once and cannot be read again. */
export async function insertSecret(
  { tx, clock, sealer }: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  endpointId: string,
  signsFrom: Date,
): Promise<RevealedWebhookSecret> {
  const secret = createSecretText();
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
