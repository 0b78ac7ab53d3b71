import type { Outputs } from "@querybell/client";

export type Destination = Outputs["destinations"]["list"][number];

export const destinationLabels: Record<Destination["kind"], string> = {
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
  mail: "Mail",
};

type DestinationEvent = Outputs["automations"]["get"]["destinations"][number]["events"][number];

export const destinationEvents: Record<DestinationEvent, string> = {
  "automation.run.completed": "Each summary",
  "automation.run.failed": "Failed runs",
  "automation.condition.met": "Its condition is met",
  "automation.condition.resolved": "Its condition is resolved",
};

export const destinationEventNames = Object.keys(destinationEvents) as DestinationEvent[];

/** What a destination gets unless somebody chooses otherwise. */
export const firstDestinationEvents: readonly DestinationEvent[] = [
  "automation.run.completed",
  "automation.run.failed",
];

/** The same for an automation with a condition, which says more than the summaries of its runs. */
export const firstEventsWithCondition: readonly DestinationEvent[] = [
  "automation.run.failed",
  "automation.condition.met",
  "automation.condition.resolved",
];
