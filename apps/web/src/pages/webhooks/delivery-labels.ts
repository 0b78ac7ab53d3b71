import type { Outputs } from "@querybell/client";
import { shortUrl } from "../../format/addresses.ts";
import type { Tone } from "../../ui/tag.tsx";
import { destinationLabels } from "../destinations/destination-labels.ts";

export type Endpoint = Outputs["webhookEndpoints"]["list"][number];
export type Health = Outputs["webhookEndpoints"]["health"];
export type Delivery = Outputs["webhookDeliveries"]["search"]["items"][number];
export type DeliveryDetail = Outputs["webhookDeliveries"]["get"];
export type Attempt = DeliveryDetail["attempts"][number];
export type Recovery = Outputs["webhookRecoveries"]["list"][number];

/** Where a delivery goes: "hooks.example.com/qb", "Slack: #revenue". */
export const receiverOf = ({
  endpointKind,
  endpointUrl,
  endpointDescription,
}: Pick<Delivery, "endpointKind" | "endpointUrl" | "endpointDescription">): string =>
  endpointKind === "webhook" || endpointKind === "mcp"
    ? shortUrl(endpointUrl)
    : `${destinationLabels[endpointKind]}: ${endpointDescription}`;

interface StateLabel {
  label: string;
  tone: Tone;
  /** What it means, for the filter and the page of a delivery. */
  meaning: string;
}

export const deliveryStates: Record<Delivery["state"], StateLabel> = {
  pending: {
    label: "Pending",
    tone: "info",
    meaning: "It waits for its first or next attempt, or is being sent.",
  },
  held: { label: "Held", tone: "warn", meaning: "It waits for its endpoint to be enabled." },
  succeeded: { label: "Succeeded", tone: "good", meaning: "The endpoint answered with 2xx." },
  exhausted: {
    label: "Failed",
    tone: "bad",
    meaning: "Every attempt failed. Resend it once the cause is fixed.",
  },
  cancelled: {
    label: "Cancelled",
    tone: "quiet",
    meaning:
      "Its endpoint was deleted, a resend took its place, its recovery was cancelled, or the subscription ended or may not see the automation any more.",
  },
  dropped: {
    label: "Dropped",
    tone: "quiet",
    meaning: "It was held, and not delivered: by an admin’s choice, or because it was held for too long.",
  },
};

export const stateNames = Object.keys(deliveryStates) as Delivery["state"][];

export const eventTypes: { value: Endpoint["eventTypes"][number]; label: string; description: string }[] = [
  {
    value: "automation.run.completed",
    label: "automation.run.completed",
    description: "A run ended well: with its summary and a link to its chat",
  },
  {
    value: "automation.run.failed",
    label: "automation.run.failed",
    description: "A run failed or was stopped: with the reason",
  },
  {
    value: "automation.condition.met",
    label: "automation.condition.met",
    description: "The condition of an automation is met: with the values it was judged by",
  },
  {
    value: "automation.condition.resolved",
    label: "automation.condition.resolved",
    description: "The condition of an automation is no longer met: with the values",
  },
  {
    value: "automation.rows.changed",
    label: "automation.rows.changed",
    description: "Rows that a condition watches entered, left or changed: with all their values",
  },
  {
    value: "audit.entry.created",
    label: "audit.entry.created",
    description: "An entry of the audit log: who did what, with ids instead of names",
  },
];

/** What the log of deliveries has: also what goes to a single destination. */
export const deliveredTypes: Delivery["type"][] = [
  ...eventTypes.map(({ value }) => value),
  "automation.recipient.told",
];

export const kindLabels: Record<Delivery["kind"], string | undefined> = {
  normal: undefined,
  resend: "Resend",
  recovery: "Recovery",
  test: "Test",
};

/** "status_500" is "500", "tls_expired" is "tls expired". */
export const outcomeText = (outcome: string): string =>
  outcome.startsWith("status_") ? outcome.slice("status_".length) : outcome.replaceAll("_", " ");

/** "2 ms", "1.4 s". */
export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
