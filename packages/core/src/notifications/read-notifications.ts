import type {
  ListNotifications,
  MarkNotificationsRead,
  Notification,
  Page,
  Person,
  UnreadNotifications,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLivePage } from "../paging/live-page.ts";
import { toNotification } from "./notification-row.ts";

/** Lists the person's notifications of all organizations, newest first. */
export async function listNotifications(
  { db, cursors }: Pick<Deps, "db" | "cursors">,
  { userId }: Pick<Person, "userId">,
  { unreadOnly, limit, cursor }: ListNotifications,
): Promise<Page<Notification>> {
  const { items, ...rest } = await readLivePage(
    { cursors },
    {
      list: "notifications",
      // The list belongs to the person and not to one organization.
      ...{ organizationId: "", filter: `userId=${userId}&unreadOnly=${unreadOnly}` },
      ...{ limit, cursor },
    },
    ({ after, take }) =>
      db.prisma.notification.findMany({
        where: { userId, ...(unreadOnly && { readAt: null }), ...(after && { id: { lt: after.id } }) },
        orderBy: { id: "desc" },
        take,
      }),
  );
  return { items: items.map(toNotification), ...rest };
}

const lowestId = "00000000-0000-0000-0000-000000000000";

export async function newestId(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
): Promise<string> {
  const newest = await db.prisma.notification.findFirst({ where: { userId }, orderBy: { id: "desc" } });
  return newest?.id ?? lowestId;
}

/** The notifications after this id, oldest first, at most 100. */
export async function notificationsSince(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
  id: string,
): Promise<Notification[]> {
  const rows = await db.prisma.notification.findMany({
    where: { userId, id: { gt: id } },
    orderBy: { id: "asc" },
    take: 100,
  });
  return rows.map(toNotification);
}

export async function countUnread(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
): Promise<UnreadNotifications> {
  return { count: await db.prisma.notification.count({ where: { userId, readAt: null } }) };
}

/** Idempotent. Ids of other people's notifications are ignored. */
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
