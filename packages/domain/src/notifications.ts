import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

const endpoint = { endpointId: Id, url: z.string(), failures: z.int() };

/** What somebody is told in the app. */
const Received = z.object({ id: Id, organizationId: Id, createdAt: Timestamp, readAt: Timestamp.nullable() });

export const Notification = z.discriminatedUnion("kind", [
  Received.extend({ kind: z.literal("webhook_endpoint_failing"), detail: z.object(endpoint) }),
  Received.extend({ kind: z.literal("webhook_endpoint_disabled"), detail: z.object(endpoint) }),
]);
export type Notification = z.infer<typeof Notification>;

/** Newest first; `before` is the id of the last one already seen. */
export const ListNotifications = z.strictObject({
  unreadOnly: z.boolean().default(false),
  limit: z.int().min(1).max(100).default(20),
  before: Id.optional(),
});
export type ListNotifications = z.infer<typeof ListNotifications>;

/** Some by their ids, or all with `"all"`. */
export const MarkNotificationsRead = z.strictObject({
  ids: z.union([z.literal("all"), z.array(Id).min(1).max(100)]),
});
export type MarkNotificationsRead = z.infer<typeof MarkNotificationsRead>;

export const UnreadNotifications = z.object({ count: z.int() });
export type UnreadNotifications = z.infer<typeof UnreadNotifications>;
