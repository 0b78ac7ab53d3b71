import {
  type NotificationPreference,
  type NotificationPreferences,
  OptionalNotificationKind,
  type Person,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";

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
