import type {
  ListNotifications,
  MarkNotificationsRead,
  Notification,
  Person,
  UnreadNotifications,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toNotification } from "./notification-row.ts";

/** Newest first, from all of the person's organizations. */
export async function listNotifications(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
  { unreadOnly, limit, before }: ListNotifications,
): Promise<Notification[]> {
  const rows = await db.prisma.notification.findMany({
    where: { userId, ...(unreadOnly && { readAt: null }), ...(before && { id: { lt: before } }) },
    orderBy: { id: "desc" },
    take: limit,
  });
  return rows.map(toNotification);
}

export async function countUnread(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
): Promise<UnreadNotifications> {
  return { count: await db.prisma.notification.count({ where: { userId, readAt: null } }) };
}

/** Marking twice is marking once. Other people's notifications are left alone. */
export async function markNotificationsRead(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Pick<Person, "userId">,
  { ids }: MarkNotificationsRead,
): Promise<UnreadNotifications> {
  await db.prisma.notification.updateMany({
    where: { userId, readAt: null, ...(ids !== "all" && { id: { in: ids } }) },
    data: { readAt: clock.now() },
  });
  return countUnread({ db }, { userId });
}
