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
  NotificationNews,
  NotificationPreference,
  NotificationPreferences,
  pageOf,
  UnreadNotifications,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { personProcedure } from "../trpc/procedures.ts";

export const notificationRouter = {
  list: personProcedure
    .meta({ summary: "What the person was told, newest first, from all their organizations" })
    .input(ListNotifications.prefault({}))
    .output(checked(pageOf(Notification)))
    .query(({ ctx, input }) => listNotifications(ctx.deps, ctx.person, input)),
  unread: personProcedure
    .meta({ summary: "How many notifications are unread" })
    .output(checked(UnreadNotifications))
    .query(({ ctx }) => countUnread(ctx.deps, ctx.person)),
  markRead: personProcedure
    .meta({ summary: "Marks some notifications as read, or all; answers how many are left unread" })
    .input(MarkNotificationsRead)
    .output(checked(UnreadNotifications))
    .mutation(({ ctx, input }) => markNotificationsRead(ctx.deps, ctx.person, input)),
  preferences: personProcedure
    .meta({ summary: "Which kinds the person wants to hear of, in the app and by mail" })
    .output(checked(NotificationPreferences))
    .query(({ ctx }) => getPreferences(ctx.deps, ctx.person)),
  setPreference: personProcedure
    .meta({ summary: "Changes that for one kind; answers all of them" })
    .input(NotificationPreference)
    .output(checked(NotificationPreferences))
    .mutation(({ ctx, input }) => setPreference(ctx.deps, ctx.person, input)),
  watch: personProcedure
    .meta({ summary: "How many are unread, then new ones as they come", yields: NotificationNews })
    .subscription(({ ctx, signal = ctx.closing }) =>
      watchNotifications(ctx.deps, ctx.person, AbortSignal.any([signal, ctx.closing])),
    ),
} satisfies TRPCRouterRecord;
