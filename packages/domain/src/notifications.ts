import { z } from "zod";
import { AutomationFailure } from "./automation-runs.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Timestamp } from "./time.ts";

const endpoint = {
  endpointId: Id,
  url: z.string(),
  failures: z.int(),
  destination: z.string().optional().describe("The name, if it is a destination of automations"),
};
/** `shortId` names the chat of the run. */
const automationRun = { automationId: Id, automationName: z.string(), runId: Id, shortId: z.string() };

/** A notification in the app. `detail` has the ids and names for its text and link. */
const Received = z.object({ id: Id, organizationId: Id, createdAt: Timestamp, readAt: Timestamp.nullable() });

export const Notification = z.discriminatedUnion("kind", [
  Received.extend({ kind: z.literal("webhook_endpoint_failing"), detail: z.object(endpoint) }),
  Received.extend({ kind: z.literal("webhook_endpoint_disabled"), detail: z.object(endpoint) }),
  Received.extend({
    kind: z.literal("automation_run_failed"),
    detail: z.object({ ...automationRun, failure: AutomationFailure }),
  }),
  Received.extend({
    kind: z.literal("automation_summary"),
    detail: z.object({
      ...automationRun,
      summary: z.string(),
      isUnchecked: z
        .boolean()
        .optional()
        .describe("Whether an external agent wrote it, so that Querybell has not checked it"),
    }),
  }),
  Received.extend({
    kind: z.literal("dashboard_refresh_failed"),
    detail: z.object({ dashboardId: Id, title: z.string(), reason: z.string() }),
  }),
  Received.extend({
    kind: z.literal("organization_deletion_requested"),
    detail: z.object({ organizationName: z.string(), dueAt: Timestamp }),
  }),
  Received.extend({
    kind: z.literal("organization_deletion_cancelled"),
    detail: z.object({ organizationName: z.string() }),
  }),
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

/** An update for a person who watches their notifications. */
export const NotificationUpdate = z.object({
  unread: z.int(),
  arrived: z
    .array(Notification)
    .describe("New notifications since the last message, oldest first; empty in the first message"),
});
export type NotificationUpdate = z.infer<typeof NotificationUpdate>;

export const UnreadNotifications = z.object({ count: z.int() });
export type UnreadNotifications = z.infer<typeof UnreadNotifications>;

/** The kinds that a person can turn off. Those about endpoints and about the deletion of an organization are always sent. */
export const OptionalNotificationKind = z.enum([
  "automation_run_failed",
  "automation_summary",
  "dashboard_refresh_failed",
]);
export type OptionalNotificationKind = z.infer<typeof OptionalNotificationKind>;

/** The channels of one kind of notification, for all organizations of a person. */
export const NotificationPreference = z.strictObject({
  kind: OptionalNotificationKind,
  inApp: z.boolean(),
  byMail: z.boolean(),
});
export type NotificationPreference = z.infer<typeof NotificationPreference>;

export const NotificationPreferences = z.object({
  items: z.array(NotificationPreference).describe("One entry for each kind"),
  sendsMail: z.boolean().describe("Whether this deployment sends mail"),
});
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;
