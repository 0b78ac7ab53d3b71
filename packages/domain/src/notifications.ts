import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

const aboutEndpoint = {
  id: Id,
  organizationId: Id,
  detail: z.object({ endpointId: Id, url: z.string(), failures: z.int() }),
  createdAt: Timestamp,
  readAt: Timestamp.nullable(),
};

/** What somebody is told in the app. */
export const Notification = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("webhook_endpoint_failing"), ...aboutEndpoint }),
  z.object({ kind: z.literal("webhook_endpoint_disabled"), ...aboutEndpoint }),
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
