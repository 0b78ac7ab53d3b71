import {
  countUnread,
  getPreferences,
  listNotifications,
  markNotificationsRead,
  setPreference,
  watchNotifications,
} from "@querybell/core/notifications";
import {
  ListNotifications,
  MarkNotificationsRead,
  Notification,
  NotificationPreference,
  NotificationPreferences,
  NotificationUpdate,
  pageOf,
  UnreadNotifications,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, personProcedure } from "../trpc/procedures.ts";

export const notificationRouter = {
  list: personProcedure
    .meta({
      summary: "Lists the person's notifications from all their organizations, newest first",
      limited: true,
    })
    .input(parsed(ListNotifications.prefault({})))
    .output(checked(pageOf(Notification)))
    .query(({ ctx, input }) => listNotifications(ctx.deps, ctx.person, input)),
  unread: personProcedure
    .meta({ summary: "Counts the unread notifications", limited: true })
    .output(checked(UnreadNotifications))
    .query(({ ctx }) => countUnread(ctx.deps, ctx.person)),
  markRead: personProcedure
    .meta({
      summary: "Marks some or all notifications as read. Returns the number of unread ones",
      limited: true,
    })
    .input(parsed(MarkNotificationsRead))
    .output(checked(UnreadNotifications))
    .mutation(({ ctx, input }) => markNotificationsRead(ctx.deps, ctx.person, input)),
  preferences: personProcedure
    .meta({
      summary: "Gets which kinds of notifications the person receives, in the app and by mail",
      limited: true,
    })
    .output(checked(NotificationPreferences))
    .query(({ ctx }) => getPreferences(ctx.deps, ctx.person)),
  setPreference: personProcedure
    .meta({ summary: "Updates the preference for one kind. Returns all preferences", limited: true })
    .input(parsed(NotificationPreference))
    .output(checked(NotificationPreferences))
    .mutation(({ ctx, input }) => setPreference(ctx.deps, ctx.person, input)),
  watch: personProcedure
    .meta({
      summary: "Sends the number of unread notifications, then each new notification",
      limited: true,
      yields: NotificationUpdate,
    })
    .subscription(({ ctx, signal = ctx.closing }) =>
      watchNotifications(ctx.deps, ctx.person, AbortSignal.any([signal, ctx.closing])),
    ),
} satisfies TRPCRouterRecord;
