import {
  type NotificationPreference,
  type NotificationPreferences,
  OptionalNotificationKind,
  type Person,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";

type Scope = Pick<Person, "userId">;

/** What the person wants to be told of, and how. */
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
  { kind, ...ways }: NotificationPreference,
): Promise<NotificationPreferences> {
  await deps.db.prisma.notificationPreference.upsert({
    where: { userId_kind: { userId, kind } },
    create: { userId, kind, ...ways },
    update: ways,
  });
  return getPreferences(deps, { userId });
}
