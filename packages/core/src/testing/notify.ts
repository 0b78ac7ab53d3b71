import { type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Notifies somebody of a failing endpoint. Returns the id of the notification. */
export async function notify(
  { db, clock }: Deps,
  { userId, organizationId }: Caller,
  { failures = 1, id = newId(clock) } = {},
): Promise<string> {
  const detail = { endpointId: newId(clock), url: "https://hooks.example.com/", failures };
  await db.transaction(async (tx) => {
    await tx.notification.create({
      data: {
        id,
        userId,
        organizationId,
        kind: "webhook_endpoint_failing",
        detail,
        createdAt: clock.now(),
      },
    });
    await tx.$queryRaw`SELECT pg_notify('querybell_notifications', ${userId})::text`;
  });
  return id;
}
