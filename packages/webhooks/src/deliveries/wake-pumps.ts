import { type NoticeChannel, type Notices, publishAfterCommit, type Tx } from "@querybell/db";

/** Carries endpoint ids: of endpoints that no pump holds and that have a delivery due, or whose settings changed. */
export const wakeUpChannel: NoticeChannel = "querybell_webhooks";

/** Carries ids of endpoints that a pump holds and that have a delivery due. Other pumps ignore them. */
export const dueChannel: NoticeChannel = "querybell_deliveries_due";

/** The endpoints with new deliveries: those that a pump holds, and those that none holds. Null for none. */
export interface EndpointsToWake {
  heldEndpoints: string[] | null;
  freeEndpoints: string[] | null;
}

/** Wakes the pumps after a committed transaction that has emitted events. */
export function wakePumpsNow(notices: Notices, { heldEndpoints, freeEndpoints }: EndpointsToWake): void {
  notices.publish(dueChannel, heldEndpoints ?? []);
  notices.publish(wakeUpChannel, freeEndpoints ?? []);
}

/** Wakes the pumps once the transaction that emits events has committed. */
export function wakePumpsAfterCommit(tx: Tx, { heldEndpoints, freeEndpoints }: EndpointsToWake): void {
  publishAfterCommit(tx, dueChannel, heldEndpoints ?? []);
  publishAfterCommit(tx, wakeUpChannel, freeEndpoints ?? []);
}

/** Tells the pumps, once the transaction commits, that an endpoint has changed or has a delivery due. */
export async function wakePumps(tx: Tx, endpointId: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_notify(${wakeUpChannel}, ${endpointId})::text`;
}
