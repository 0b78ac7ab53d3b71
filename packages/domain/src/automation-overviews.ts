import type { z } from "zod";
import { AutomationRun } from "./automation-runs.ts";
import { Automation } from "./automations.ts";

/** An automation with its latest runs. */
export const AutomationOverview = Automation.extend({
  latestRun: AutomationRun.nullable().describe("The run that was triggered last; null before the first"),
  latestEndedRun: AutomationRun.nullable().describe("The latest run that has ended"),
});
export type AutomationOverview = z.infer<typeof AutomationOverview>;
