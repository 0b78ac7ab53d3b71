import { z } from "zod";
import { Id } from "./ids.ts";
import { Email } from "./members.ts";
import { DomainName } from "./single-sign-on.ts";
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

/** Which addresses automations may take from rows, besides those of the destination itself. */
export const RowRecipients = z.object({
  members: z.boolean().describe("Proven addresses of members"),
  domains: z.array(z.string()).describe("All addresses of these domains"),
});

const GivenRowRecipients = z
  .strictObject({
    members: RowRecipients.shape.members,
    domains: z
      .array(DomainName)
      .max(50, "must be at most 50")
      .transform((domains) => [...new Set(domains)])
      .describe("Domains that the organization has proven to own, under Settings → Sign-in"),
  })
  .nullable()
  .describe(
    "Mail only: whom automations may write to because a row names them ([recipients](../recipients.md)). Null: nobody",
  );

export const CreateDestination = z.discriminatedUnion("kind", [
  z.strictObject({ kind: DestinationKind.exclude(["mail"]), name, url }),
  z.strictObject({
    kind: z.literal("mail"),
    name,
    addresses,
    rowRecipients: GivenRowRecipients.optional(),
  }),
]);
export type CreateDestination = z.infer<typeof CreateDestination>;

/** Absent fields are not changed. `url` is for Slack, Teams and Discord, the fields after it for mail. */
export const UpdateDestination = z.strictObject({
  id: Id,
  ...z.object({ ...settings, rowRecipients: GivenRowRecipients }).partial().shape,
});
export type UpdateDestination = z.infer<typeof UpdateDestination>;

export const DestinationId = z.strictObject({ id: Id });
export type DestinationId = z.infer<typeof DestinationId>;

/** A destination as everybody sees it who can choose it for an automation. */
export const DestinationChoice = z.object({
  id: Id,
  kind: DestinationKind,
  name: z.string(),
  state: WebhookEndpointState,
  rowRecipients: RowRecipients.nullable().describe(
    "Whom automations may write to because a row names them; null: nobody, or it is no mail destination",
  ),
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

/** The events that an automation can send to a destination. Changed rows are for programs. */
export const DestinationEvent = z.enum(automationEventTypes).exclude(["automation.rows.changed"]);

/** A destination that an automation has chosen. */
export const ChosenDestination = z.strictObject({
  destinationId: Id,
  events: z
    .array(DestinationEvent)
    .min(1, "must name at least one event")
    .transform((events) => [...new Set(events)].sort())
    .describe("What is told there"),
  csv: z
    .boolean()
    .optional()
    .describe("Mail only: whether its mails have the results of the charts as CSV files. Default: no"),
});
export type ChosenDestination = z.infer<typeof ChosenDestination>;
