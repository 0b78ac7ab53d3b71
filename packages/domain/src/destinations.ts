import { z } from "zod";
import { Id } from "./ids.ts";
import { Email } from "./members.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";
import { WebhookEndpointState } from "./webhook-endpoints.ts";
import { automationEventTypes } from "./webhook-events.ts";

/** Where automations send messages for people. */
export const DestinationKind = z.enum(["slack", "teams", "discord", "mail"]);
export type DestinationKind = z.infer<typeof DestinationKind>;

const kinds: ReadonlySet<string> = new Set(DestinationKind.options);

/** A lookup, since every attempt of every delivery asks. */
export const isDestinationKind = (kind: string): kind is DestinationKind => kinds.has(kind);

export const maxDestinations = 200;

const settings = {
  name: nameUpTo(100),
  url: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(2048, "must have at most 2048 characters")
    .describe(
      "The webhook URL that Slack, Teams or Discord shows. It is stored sealed and never shown again",
    ),
  addresses: z
    .array(Email)
    .min(1, "must have at least one address")
    .max(20, "must be at most 20")
    .transform((addresses) => [...new Set(addresses)])
    .describe("Mail addresses"),
};

const { name, url, addresses } = settings;

export const CreateDestination = z.discriminatedUnion("kind", [
  z.strictObject({ kind: DestinationKind.exclude(["mail"]), name, url }),
  z.strictObject({ kind: z.literal("mail"), name, addresses }),
]);
export type CreateDestination = z.infer<typeof CreateDestination>;

/** Absent fields are not changed. `url` is for Slack, Teams and Discord, `addresses` for mail. */
export const UpdateDestination = z.strictObject({ id: Id, ...z.object(settings).partial().shape });
export type UpdateDestination = z.infer<typeof UpdateDestination>;

export const DestinationId = z.strictObject({ id: Id });
export type DestinationId = z.infer<typeof DestinationId>;

/** A destination as everybody sees it who can choose it for an automation. */
export const DestinationChoice = z.object({
  id: Id,
  kind: DestinationKind,
  name: z.string(),
  state: WebhookEndpointState,
});
export type DestinationChoice = z.infer<typeof DestinationChoice>;

/** A destination as admins see it. */
export const Destination = DestinationChoice.extend({
  id: Id.describe(
    "Also the `endpointId` of its deliveries, and the id for `webhookEndpoints.disable` and so on",
  ),
  shownAddress: z.string().describe("The host of the webhook URL, or how many mail addresses it has"),
  addresses: z
    .array(z.string())
    .nullable()
    .describe("Mail addresses; null for others, and if they were sealed with a key that is gone"),
  disabledReason: z.enum(["failures", "admin"]).nullable(),
  disabledAt: Timestamp.nullable(),
  consecutiveFailures: z.int(),
  pending: z.int().describe("Deliveries that wait for their first or next attempt, or are in flight"),
  held: z.int().describe("Deliveries that wait for it to be enabled"),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Destination = z.infer<typeof Destination>;

/** The events that an automation can send to a destination. */
export const DestinationEvent = z.enum(automationEventTypes);

/** A destination that an automation has chosen. */
export const ChosenDestination = z.strictObject({
  destinationId: Id,
  events: z
    .array(DestinationEvent)
    .min(1, "must name at least one event")
    .transform((events) => [...new Set(events)].sort())
    .describe("What is told there"),
});
export type ChosenDestination = z.infer<typeof ChosenDestination>;
