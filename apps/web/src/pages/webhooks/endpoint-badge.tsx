import { pluralize } from "../../format/pluralize.ts";
import { Tag } from "../../ui/tag.tsx";
import type { Endpoint } from "./delivery-labels.ts";

/** Whether an endpoint is enabled, failing or disabled. */
export function EndpointBadge({ endpoint }: { endpoint: Pick<Endpoint, "state" | "consecutiveFailures"> }) {
  if (endpoint.state === "disabled") return <Tag tone="bad">Disabled</Tag>;
  if (endpoint.consecutiveFailures > 0) {
    return <Tag tone="warn">Failing: {pluralize(endpoint.consecutiveFailures, "event")} in a row</Tag>;
  }
  return <Tag tone="good">Enabled</Tag>;
}
