import type { Tx } from "@querybell/db";
import { wakePumps } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";

/**
 * Marks an endpoint's settings or secrets as changed. Deliveries claimed after the commit are sent with the new ones:
 * a claim carries the revision, and the pump reloads the settings when it is newer than its own.
 */
export async function bumpRevision(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  endpointId: string,
): Promise<void> {
  await tx.webhookEndpoint.update({
    where: { id: endpointId },
    data: { revision: { increment: 1 }, updatedAt: clock.now() },
  });
  await wakePumps(tx, endpointId);
}
