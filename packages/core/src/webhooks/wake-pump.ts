import type { Tx } from "@querybell/db";
import { wakeUpChannel } from "@querybell/webhooks";

/** Makes pumps look at an endpoint as soon as the transaction commits: it has changed, or something is due. */
export async function wakePump(tx: Tx, endpointId: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_notify(${wakeUpChannel}, ${endpointId})::text`;
}
