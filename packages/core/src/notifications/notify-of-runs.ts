import type { Prisma, Tx } from "@querybell/db";
import {
  type AutomationFailure,
  type Notification,
  newId,
  type OptionalNotificationKind,
} from "@querybell/domain";
import { automationNameOf, chatUrl } from "../automations/runs/automation-run-row.ts";
import type { Deps } from "../deps.ts";
import { queueMail } from "../mail/mail.ts";
import { runMail } from "./run-mail.ts";

export type NotifyDeps = { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">;

type Detail = Extract<Notification, { kind: OptionalNotificationKind }>["detail"];

interface Recipient {
  userId: string;
  email: string;
  inApp: boolean;
  byMail: boolean;
}

interface EndedRuns {
  automationId: string;
  runs: Prisma.AutomationRunModel[];
  end: { kind: "completed"; summary: string } | { kind: "failed"; failure: AutomationFailure };
  /** The person who stopped the runs, who gets no notification. */
  except: string | undefined;
}

/**
 * Notifies the automation's subscribers, in the app and by mail, according to their preferences. Runs in the transaction
 * that ends the runs, so each notification is created exactly once.
 */
export async function notifyOfRuns(deps: NotifyDeps, ended: EndedRuns): Promise<void> {
  const { tx, clock, deployment } = deps;
  const { automationId, runs, end } = ended;
  const kind = end.kind === "completed" ? "automation_summary" : "automation_run_failed";
  const recipients = await findRecipients(tx, kind, ended);
  const inAppRecipients = recipients.filter(({ inApp }) => inApp);
  for (const run of runs) {
    const automationName = automationNameOf(run);
    const about = { automationId, automationName, runId: run.id, shortId: run.shortId };
    const detail: Detail =
      end.kind === "completed" ? { ...about, summary: end.summary } : { ...about, failure: end.failure };
    if (inAppRecipients.length > 0) {
      await tx.notification.createMany({
        data: inAppRecipients.map(({ userId }) => ({
          id: newId(clock),
          userId,
          organizationId: run.organizationId,
          kind,
          detail,
          createdAt: clock.now(),
        })),
      });
    }
    const mail = runMail({
      automationName,
      end,
      chatUrl: chatUrl(deps, run),
      publicUrl: deployment.publicUrl,
    });
    for (const { email, byMail } of recipients) {
      if (byMail) await queueMail(deps, run.organizationId, { to: email, ...mail });
    }
  }
  if (inAppRecipients.length > 0) {
    const ids = inAppRecipients.map(({ userId }) => userId);
    await tx.$queryRaw`SELECT count(pg_notify('querybell_notifications', id)) FROM unnest(${ids}::text[]) AS recipient(id)`;
  }
}

/** Subscriptions are deleted with the membership, so every recipient is a member. */
async function findRecipients(
  tx: Tx,
  kind: OptionalNotificationKind,
  { automationId, except }: EndedRuns,
): Promise<Recipient[]> {
  const subscribers = await tx.automationSubscriber.findMany({
    where: {
      automationId,
      ...(kind === "automation_summary" ? { onSummary: true } : { onFailure: true }),
      ...(except !== undefined && { userId: { not: except } }),
    },
    include: { member: { include: { user: { include: { notificationPreferences: { where: { kind } } } } } } },
    orderBy: { userId: "asc" },
  });
  return subscribers.map(({ userId, inApp, byMail, member: { user } }) => {
    const [preference = { inApp: true, byMail: true }] = user.notificationPreferences;
    return {
      userId,
      email: user.email,
      inApp: inApp && preference.inApp,
      byMail: byMail && preference.byMail,
    };
  });
}
