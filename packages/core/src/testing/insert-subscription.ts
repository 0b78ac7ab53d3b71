import { type Caller, newId, type SubscribableEvent } from "@querybell/domain";
import { sealHeaders } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { createKey } from "../keys/index.ts";

/** A subscription for an hour, as a program makes it over MCP, without its challenge and secret. Returns its id. */
export async function insertSubscription(
  deps: Deps,
  caller: Caller,
  { url, event }: { url: string; event: SubscribableEvent },
): Promise<string> {
  const { db, clock, sealer } = deps;
  const { organizationId, userId } = caller;
  const { id: keyId } = await createKey(deps, caller, {
    name: "Assistant",
    scopes: ["events:subscribe", "automations:read"],
  });
  const id = newId(clock);
  const now = clock.now();
  await db.prisma.webhookEndpoint.create({
    data: {
      ...{ id, organizationId, kind: "mcp", url, description: "", eventTypes: [event], keyId },
      ...{ standardWebhooks: true, maxInFlight: 8, sealedHeaders: sealHeaders(sealer, id, {}) },
      ...{ subscriptionId: `sub_${id}`, expiresAt: new Date(now.getTime() + 3_600_000), verifiedAt: now },
      ...{ createdBy: userId, createdAt: now, updatedAt: now },
    },
  });
  return id;
}
