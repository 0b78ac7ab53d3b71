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
  pageOf,
  UnreadNotifications,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { personProcedure } from "../trpc/procedures.ts";

export const notificationRouter = {
  list: personProcedure
    .input(ListNotifications.prefault({}))
    .output(pageOf(Notification))
    .query(({ ctx, input }) => listNotifications(ctx.deps, ctx.person, input)),
  unread: personProcedure.output(UnreadNotifications).query(({ ctx }) => countUnread(ctx.deps, ctx.person)),
  markRead: personProcedure
    .input(MarkNotificationsRead)
    .output(UnreadNotifications)
    .mutation(({ ctx, input }) => markNotificationsRead(ctx.deps, ctx.person, input)),
  preferences: personProcedure
    .output(NotificationPreferences)
    .query(({ ctx }) => getPreferences(ctx.deps, ctx.person)),
  setPreference: personProcedure
    .input(NotificationPreference)
    .output(NotificationPreferences)
    .mutation(({ ctx, input }) => setPreference(ctx.deps, ctx.person, input)),
  watch: personProcedure.subscription(({ ctx, signal = ctx.closing }) =>
    watchNotifications(ctx.deps, ctx.person, AbortSignal.any([signal, ctx.closing])),
  ),
} satisfies TRPCRouterRecord;
