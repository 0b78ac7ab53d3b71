import type { NoticeChannel, Tx } from "@querybell/db";

/** Carries endpoint ids: of endpoints that no pump holds and that have a delivery due, or whose settings changed. */
export const wakeUpChannel: NoticeChannel = "querybell_webhooks";

/** Tells the pumps, once the transaction commits, that an endpoint has changed or has a delivery due. */
export async function wakePumps(tx: Tx, endpointId: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_notify(${wakeUpChannel}, ${endpointId})::text`;
}
