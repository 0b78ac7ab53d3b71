import { timingSafeEqual } from "node:crypto";
import type { SharedSettings } from "./settings.ts";

/** If a token is set, requests must send it. Without a token, the metrics are public, but not in production. */
export function mayReadMetrics(
  { METRICS_TOKEN: token, NODE_ENV }: Pick<SharedSettings, "METRICS_TOKEN" | "NODE_ENV">,
  authorization = "",
): boolean {
  if (!token) return NODE_ENV !== "production";
  const [sent, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
