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
};

export const destinationEventNames = Object.keys(destinationEvents) as DestinationEvent[];
