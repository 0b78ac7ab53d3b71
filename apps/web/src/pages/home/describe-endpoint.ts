import type { Outputs } from "@querybell/client";
import { formatNumber } from "../../format/pluralize.ts";

type Endpoint = Outputs["home"]["overview"]["endpoints"][number];

/** What is wrong with an endpoint. */
export function describeEndpoint({
  state,
  consecutiveFailures,
  held,
  retrying,
}: Pick<Endpoint, "state" | "consecutiveFailures" | "held" | "retrying">): string {
  const sentences = [
    state === "disabled" && "This endpoint is disabled.",
    state !== "disabled" &&
      consecutiveFailures > 0 &&
      `${consecutiveFailures} ${consecutiveFailures === 1 ? "event has" : "events in a row have"} failed at this endpoint.`,
    held > 0 && `${countText(held)} ${held === 1 ? "delivery is" : "deliveries are"} held.`,
    retrying > 0 &&
      `${countText(retrying)} ${retrying === 1 ? "delivery failed and is" : "deliveries failed and are"} tried again.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}

// The api counts no further.
const maxCount = 1000;

const countText = (count: number): string =>
  count < maxCount ? formatNumber(count) : `${formatNumber(maxCount)} or more`;
