import { Badge } from "@mantine/core";
import { counted } from "../../components/counted.ts";
import type { Endpoint } from "./words.ts";

/** Whether an endpoint is sent to, and whether it is about to be disabled. */
export function EndpointBadge({ endpoint }: { endpoint: Pick<Endpoint, "state" | "consecutiveFailures"> }) {
  if (endpoint.state === "disabled") return <Badge color="red">Disabled</Badge>;
  if (endpoint.consecutiveFailures > 0) {
    return <Badge color="orange">Failing: {counted(endpoint.consecutiveFailures, "event")} in a row</Badge>;
  }
  return <Badge color="green">Enabled</Badge>;
}
