import type { Tool } from "../tool.ts";
import { automationTools } from "./automations.ts";
import { findingTools } from "./finding.ts";
import { permalinkTools } from "./permalinks.ts";
import { runningTools } from "./running.ts";

/** All tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  ...findingTools,
  ...runningTools,
  ...automationTools,
  ...permalinkTools,
];
