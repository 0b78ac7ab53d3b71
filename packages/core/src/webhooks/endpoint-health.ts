import type { Caller, WebhookEndpointHealth, WebhookEndpointId } from "@querybell/domain";
import { readEndpointActivity } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { getEndpoint } from "./get-endpoint.ts";

const hourMs = 3_600_000;

/** The attempts and deliveries of an endpoint in the last 24 hours. */
export async function readEndpointHealth(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpointHealth> {
  await getEndpoint(deps, caller, { id });
  const until = deps.clock.now();
  const since = until.getTime() - 24 * hourMs;
  const { organizationId } = caller;
  const activity = await readEndpointActivity(deps.db.pool, { organizationId, endpointId: id, until });
  return {
    ...activity,
    since: new Date(since).toISOString(),
    hours: activity.hours.map((counts, hour) => ({
      from: new Date(since + hour * hourMs).toISOString(),
      ...counts,
    })),
    lastSuccessAt: activity.lastSuccessAt?.toISOString() ?? null,
    lastFailure: activity.lastFailure && {
      ...activity.lastFailure,
      at: new Date(activity.lastFailure.at).toISOString(),
    },
  };
}
