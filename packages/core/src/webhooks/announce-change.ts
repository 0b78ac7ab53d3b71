import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { wakePump } from "./wake-pump.ts";

/** Whatever is claimed after this commits is sent with the endpoint's new settings and secrets. */
export async function announceChange(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  endpointId: string,
): Promise<void> {
  await tx.webhookEndpoint.update({
    where: { id: endpointId },
    data: { revision: { increment: 1 }, updatedAt: clock.now() },
  });
  await wakePump(tx, endpointId);
}
