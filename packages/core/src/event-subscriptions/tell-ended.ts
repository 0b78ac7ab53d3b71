import type { JobPayload } from "@querybell/domain";
import { createSender, openSecret, parseSubscriptionSecret, tellTerminated } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { unsealOrUndefined } from "../webhooks/get-endpoint.ts";

type Ended = JobPayload<"tell_subscription_ended">;

/** As in the answers to methods of MCP Events. */
const forbidden = -32012;

const sentences: Record<Ended["reason"], string> = {
  admin: "An admin has ended the subscription.",
  key_revoked: "The key or connection that subscribed has been revoked.",
};

/**
 * Tells a program that its subscription has ended, once: a program that cannot be reached is told when it renews the
 * subscription. Returns the outcome of the request.
 */
export async function tellSubscriptionEnded(
  deps: Deps,
  { endpointId, reason, sealedSecret }: Ended,
): Promise<string> {
  const endpoint = await deps.db.prisma.webhookEndpoint.findFirst({
    where: { id: endpointId, kind: "mcp", state: "deleted" },
  });
  const secret = unsealOrUndefined(() => openSecret(deps.sealer, endpointId, sealedSecret));
  const key = secret === undefined ? undefined : parseSubscriptionSecret(secret);
  // The organization may have been deleted, or the sealing key is gone.
  if (!endpoint?.subscriptionId || !key) return "not_sent";
  const { url, subscriptionId } = endpoint;
  const error = { code: forbidden, message: sentences[reason] };
  const sender = createSender(deps);
  try {
    return await tellTerminated({ ...deps, sender }, { url, key, subscriptionId }, { id: endpointId, error });
  } finally {
    sender.close();
  }
}
