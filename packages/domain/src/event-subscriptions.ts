import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";
import { WebhookEndpointState } from "./webhook-endpoints.ts";
import { automationEventTypes } from "./webhook-events.ts";

/** The events that programs can subscribe to over MCP. */
export const SubscribableEvent = z.enum(automationEventTypes);
export type SubscribableEvent = z.infer<typeof SubscribableEvent>;

export const maxSubscriptionsOfKey = 50;
export const maxSubscriptionsOfOrganization = 500;

/** A subscription of a program, as the organization's admins see it. */
export const EventSubscription = z.object({
  id: Id.describe("Also the `endpointId` of its deliveries"),
  url: z.string(),
  event: SubscribableEvent,
  automationId: Id.nullable().describe(
    "The only automation whose events it gets; null for all that its key sees",
  ),
  keyId: Id.nullable(),
  keyName: z.string().nullable(),
  state: WebhookEndpointState.describe("`disabled` after five events in a row that could not be delivered"),
  pending: z.int().describe("Deliveries that wait for their first or next attempt, or are in flight"),
  held: z.int().describe("Deliveries that wait until the program subscribes again"),
  createdAt: Timestamp,
  expiresAt: Timestamp.describe("When it ends, unless the program subscribes again before"),
});
export type EventSubscription = z.infer<typeof EventSubscription>;

export const EventSubscriptionId = z.strictObject({ id: Id });
export type EventSubscriptionId = z.infer<typeof EventSubscriptionId>;
