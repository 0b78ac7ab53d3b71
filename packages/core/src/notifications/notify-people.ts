import { publishAfterCommit, type Tx } from "@querybell/db";
import { type Notification, newId, type OptionalNotificationKind } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Mail, queueMail } from "../mail.ts";

export type NotifyDeps = { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">;

/** Somebody who is told, in the ways that they want. */
export interface Recipient {
  userId: string;
  email: string;
  inApp: boolean;
  byMail: boolean;
}

interface News<Kind extends OptionalNotificationKind> {
  organizationId: string;
  kind: Kind;
  detail: Extract<Notification, { kind: Kind }>["detail"];
  mail: Omit<Mail, "to">;
}

/** Notifies people in the app and by mail, in the transaction of what they are told. */
export async function notifyPeople<Kind extends OptionalNotificationKind>(
  deps: NotifyDeps,
  recipients: readonly Recipient[],
  { organizationId, kind, detail, mail }: News<Kind>,
): Promise<void> {
  const { tx, clock } = deps;
  const inApp = recipients.filter((recipient) => recipient.inApp).map(({ userId }) => userId);
  if (inApp.length > 0) {
    const createdAt = clock.now();
    await tx.notification.createMany({
      data: inApp.map((userId) => ({ id: newId(clock), userId, organizationId, kind, detail, createdAt })),
    });
    publishAfterCommit(tx, "querybell_notifications", inApp);
  }
  for (const { email, byMail } of recipients) {
    if (byMail) await queueMail(deps, organizationId, { to: email, ...mail });
  }
}
