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
  /** Knows already: the person who stopped the runs. */
  except: string | undefined;
}

/**
 * Tells whoever is chosen on the automation how its runs ended, in the app and by mail, unless they turned that off.
 * Part of the transaction that ends the runs, so everybody is told exactly once.
 */
export async function notifyOfRuns(deps: NotifyDeps, ended: EndedRuns): Promise<void> {
  const { tx, clock, deployment } = deps;
  const { automationId, runs, end } = ended;
  const kind = end.kind === "completed" ? "automation_summary" : "automation_run_failed";
  const recipients = await findRecipients(tx, kind, ended);
  const told = recipients.filter(({ inApp }) => inApp);
  for (const run of runs) {
    const automationName = automationNameOf(run);
    const about = { automationId, automationName, runId: run.id, shortId: run.shortId };
    const detail: Detail =
      end.kind === "completed" ? { ...about, summary: end.summary } : { ...about, failure: end.failure };
    if (told.length > 0) {
      await tx.notification.createMany({
        data: told.map(({ userId }) => ({
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
  if (told.length > 0) {
    const ids = told.map(({ userId }) => userId);
    await tx.$queryRaw`SELECT count(pg_notify('querybell_notifications', id)) FROM unnest(${ids}::text[]) AS told(id)`;
  }
}

/** Rows of subscribers go with the membership, so everybody found here is a member. */
async function findRecipients(
  tx: Tx,
  kind: OptionalNotificationKind,
  { automationId, except }: EndedRuns,
): Promise<Recipient[]> {
  const chosen = await tx.automationSubscriber.findMany({
    where: {
      automationId,
      ...(kind === "automation_summary" ? { onSummary: true } : { onFailure: true }),
      ...(except !== undefined && { userId: { not: except } }),
    },
    include: { member: { include: { user: { include: { notificationPreferences: { where: { kind } } } } } } },
    orderBy: { userId: "asc" },
  });
  return chosen.map(({ userId, inApp, byMail, member: { user } }) => {
    const [wanted = { inApp: true, byMail: true }] = user.notificationPreferences;
    return { userId, email: user.email, inApp: inApp && wanted.inApp, byMail: byMail && wanted.byMail };
  });
}
