import type { Prisma } from "@querybell/db";
import { Notification } from "@querybell/domain";

export const toNotification = (row: Prisma.NotificationModel): Notification =>
  Notification.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    readAt: row.readAt?.toISOString() ?? null,
  });
