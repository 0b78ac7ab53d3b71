import { asService, Prisma } from "@querybell/db";
import {
  type ListNotifications,
  lowestIdAt,
  type MarkNotificationsRead,
  Notification,
  type NotificationPreference,
  type NotificationPreferences,
  type NotificationUpdate,
  OptionalNotificationKind,
  type Page,
  type Person,
  type UnreadNotifications,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLivePage } from "../paging/live-page.ts";
import { watchRow } from "../watch-row.ts";

type Recipient = Pick<Person, "userId" | "sessionId" | "onlyOrganizationId">;

/** The notifications that a session shows: one of an organization's provider shows only those of that organization. */
const whereRecipient = ({ userId, onlyOrganizationId }: Recipient) => ({
  userId,
  ...(onlyOrganizationId !== undefined && { organizationId: onlyOrganizationId }),
});

/** Lists the person's notifications of all organizations that the session opens, newest first. */
export async function listNotifications(
  { db, cursors }: Pick<Deps, "db" | "cursors">,
  person: Recipient,
  { unreadOnly, limit, cursor }: ListNotifications,
): Promise<Page<Notification>> {
  const { items, ...rest } = await readLivePage(
    { cursors },
    {
      list: "notifications",
      // The list belongs to the person and not to one organization.
      organizationId: "",
      filter: `userId=${person.userId}&only=${person.onlyOrganizationId ?? ""}&unreadOnly=${unreadOnly}`,
      limit,
      cursor,
    },
    async ({ after, take }) => db.prisma.$queryRaw<Row[]>`
      SELECT ${columns} FROM notifications
      WHERE ${isFor(person)} AND (NOT ${unreadOnly} OR read_at IS NULL)
        AND id < ${after?.id ?? highestId}::uuid AND ${await whatIsSeen({ db }, person)}
      ORDER BY id DESC LIMIT ${take}`,
  );
  return { items: items.map(toNotification), ...rest };
}

type Row = Omit<Prisma.NotificationModel, "userId">;

const columns = Prisma.sql`id, organization_id AS "organizationId", kind, detail, created_at AS "createdAt",
  read_at AS "readAt"`;

/** SQL: the notifications of the person, or only those of the organization that the session opens. */
const isFor = ({ userId, onlyOrganizationId }: Recipient): Prisma.Sql =>
  onlyOrganizationId === undefined
    ? Prisma.sql`user_id = ${userId}::uuid`
    : Prisma.sql`user_id = ${userId}::uuid AND organization_id = ${onlyOrganizationId}::uuid`;

const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * SQL: the notifications that the session may see: none of an organization that it does not open, and none about an
 * automation or dashboard that the person does not see any more. Most people see everything in all their organizations.
 */
async function whatIsSeen({ db }: Pick<Deps, "db">, { userId, sessionId }: Recipient): Promise<Prisma.Sql> {
  const { rows } = await asService(() =>
    db.pool.query<RightsRow>({
      name: "rights_of_person",
      text: `
        SELECT m.organization_id AS "organizationId", mine.folders::text[], mine.databases::text[],
          session_blocked_by($2, m.organization_id, m.role) IS NOT NULL AS "isBlocked"
        FROM members m LEFT JOIN LATERAL querybell_rights(m.organization_id, m.user_id) AS mine ON true
        WHERE m.user_id = $1`,
      values: [userId, sessionId],
    }),
  );
  const limited = rows.flatMap(({ organizationId, folders, databases, isBlocked }) => {
    if (isBlocked) return [Prisma.sql`WHEN ${organizationId}::uuid THEN false`];
    if (!folders) return [];
    return [
      Prisma.sql`WHEN ${organizationId}::uuid THEN (detail->>'automationId' IS NULL OR sees_automation(
        (detail->>'automationId')::uuid, user_id, ${folders}::uuid[], ${databases}::uuid[])) AND (
        detail->>'dashboardId' IS NULL OR sees_dashboard((detail->>'dashboardId')::uuid, user_id, ${folders}::uuid[]))`,
    ];
  });
  if (limited.length === 0) return Prisma.sql`true`;
  return Prisma.sql`CASE organization_id ${Prisma.join(limited, " ")} ELSE true END`;
}

interface RightsRow {
  organizationId: string;
  /** Null if nothing is narrowed for the person. */
  folders: string[] | null;
  databases: string[] | null;
  isBlocked: boolean;
}

/**
 * Ids are created before their transaction commits, so lower ids may still appear this long after a higher
 * one.
 */
const lateMs = 60_000;

type Known = Pick<Notification, "id" | "createdAt">;

/** The lowest id that may still appear after these. */
function lowestToCome(known: readonly Known[]): string {
  const newest = Math.max(0, ...known.map(({ createdAt }) => Date.parse(createdAt)));
  return lowestIdAt(new Date(newest - lateMs));
}

/** Drops those that are so old that no lower id can appear any more. */
function onlyRecent(known: readonly Known[]): Known[] {
  const lowest = lowestToCome(known);
  return known.filter(({ id }) => id >= lowest);
}

/** The newest notification, and those shortly before it. */
async function listRecent({ db }: Pick<Deps, "db">, person: Recipient): Promise<Known[]> {
  const where = whereRecipient(person);
  const newest = await db.prisma.notification.findFirst({ where, orderBy: { id: "desc" } });
  if (!newest) return [];
  const rows = await db.prisma.notification.findMany({
    where: { ...where, id: { gte: lowestToCome([toNotification(newest)]) } },
  });
  // Only ids and times, of those that are not seen too.
  return rows.map(toNotification);
}

/** Notifications that are not among the known recent ones, oldest first, at most 100. */
async function listArrived(
  { db }: Pick<Deps, "db">,
  person: Recipient,
  known: readonly Known[],
): Promise<Notification[]> {
  const rows = await db.prisma.$queryRaw<Row[]>`
    SELECT ${columns} FROM notifications
    WHERE ${isFor(person)} AND id >= ${lowestToCome(known)}::uuid
      AND id <> ALL(${known.map(({ id }) => id)}::uuid[]) AND ${await whatIsSeen({ db }, person)}
    ORDER BY id LIMIT 100`;
  return rows.map(toNotification);
}

export async function countUnread({ db }: Pick<Deps, "db">, person: Recipient): Promise<UnreadNotifications> {
  const [row] = await db.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM notifications
    WHERE ${isFor(person)} AND read_at IS NULL AND ${await whatIsSeen({ db }, person)}`;
  return { count: row?.count ?? 0 };
}

/** Idempotent. Ids of other people's notifications are ignored. */
export async function markNotificationsRead(
  { db, clock }: Pick<Deps, "db" | "clock">,
  person: Recipient,
  { ids }: MarkNotificationsRead,
): Promise<UnreadNotifications> {
  await db.prisma.notification.updateMany({
    where: { ...whereRecipient(person), readAt: null, ...(ids !== "all" && { id: { in: ids } }) },
    data: { readAt: clock.now() },
  });
  return countUnread({ db }, person);
}

/** Yields the number of unread notifications now, and again whenever new ones arrive, until the signal aborts. */
export async function* watchNotifications(
  { db }: Pick<Deps, "db">,
  person: Recipient,
  signal: AbortSignal,
): AsyncGenerator<NotificationUpdate> {
  let known = await listRecent({ db }, person);
  let isFirst = true;
  const watched = watchRow({ db }, { channel: "querybell_notifications", id: person.userId, signal }, () =>
    listArrived({ db }, person, known),
  );
  for await (const arrived of watched) {
    known = onlyRecent([...known, ...arrived]);
    if (isFirst || arrived.length > 0) yield { unread: (await countUnread({ db }, person)).count, arrived };
    isFirst = false;
  }
}

type Scope = Pick<Person, "userId">;

/** The person's preferences for each kind of notification. The default is on. */
export async function getPreferences(
  { db, deployment }: Pick<Deps, "db" | "deployment">,
  { userId }: Scope,
): Promise<NotificationPreferences> {
  const rows = await db.prisma.notificationPreference.findMany({ where: { userId } });
  const items = OptionalNotificationKind.options.map((kind) => {
    const { inApp, byMail } = rows.find((row) => row.kind === kind) ?? { inApp: true, byMail: true };
    return { kind, inApp, byMail };
  });
  return { items, sendsMail: deployment.sendsMail };
}

export async function setPreference(
  deps: Pick<Deps, "db" | "deployment">,
  { userId }: Scope,
  { kind, ...channels }: NotificationPreference,
): Promise<NotificationPreferences> {
  await deps.db.prisma.notificationPreference.upsert({
    where: { userId_kind: { userId, kind } },
    create: { userId, kind, ...channels },
    update: channels,
  });
  return getPreferences(deps, { userId });
}

const toNotification = (row: Row): Notification =>
  Notification.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    readAt: row.readAt?.toISOString() ?? null,
  });
