import { timingSafeEqual } from "node:crypto";
import type { SharedSettings } from "./settings.ts";

/** With a token, who sends it may read the metrics; without one, anybody may, but never in production. */
export function mayReadMetrics(
  { METRICS_TOKEN: token, NODE_ENV }: Pick<SharedSettings, "METRICS_TOKEN" | "NODE_ENV">,
  authorization = "",
): boolean {
  if (!token) return NODE_ENV !== "production";
  const [sent, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
