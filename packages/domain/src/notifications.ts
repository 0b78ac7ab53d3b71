import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Timestamp } from "./timestamp.ts";

const endpoint = { endpointId: Id, url: z.string(), failures: z.int() };

/** What somebody is told in the app. */
const Received = z.object({ id: Id, organizationId: Id, createdAt: Timestamp, readAt: Timestamp.nullable() });

export const Notification = z.discriminatedUnion("kind", [
  Received.extend({ kind: z.literal("webhook_endpoint_failing"), detail: z.object(endpoint) }),
  Received.extend({ kind: z.literal("webhook_endpoint_disabled"), detail: z.object(endpoint) }),
]);
export type Notification = z.infer<typeof Notification>;

export const ListNotifications = ListPage.extend({ unreadOnly: z.boolean().default(false) });
export type ListNotifications = z.infer<typeof ListNotifications>;

/** Some by their ids, or all with `"all"`. */
export const MarkNotificationsRead = z.strictObject({
  ids: z.union([z.literal("all"), z.array(Id).min(1).max(100)], {
    error: 'must be "all", or a list of 1 to 100 ids',
  }),
});
export type MarkNotificationsRead = z.infer<typeof MarkNotificationsRead>;

export const UnreadNotifications = z.object({ count: z.int() });
export type UnreadNotifications = z.infer<typeof UnreadNotifications>;
