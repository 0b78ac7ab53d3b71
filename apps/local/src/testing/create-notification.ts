import type { Deps } from "@querybell/core";
import { type Caller, newId } from "@querybell/domain";

/** Creates a notification about a disabled webhook endpoint, and wakes those who watch for it. */
export async function createNotification(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
): Promise<void> {
  const detail = { endpointId: newId(clock), url: "https://example.test/hook", failures: 5 };
  await db.prisma.notification.create({
    data: {
      id: newId(clock),
      organizationId,
      userId,
      createdAt: clock.now(),
      kind: "webhook_endpoint_disabled",
      detail,
    },
  });
  await db.pool.query("SELECT pg_notify('querybell_notifications', $1)", [userId]);
}
