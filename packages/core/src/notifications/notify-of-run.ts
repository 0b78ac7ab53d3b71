import type { Tx } from "@querybell/db";
import type { AutomationFailure } from "@querybell/domain";
import type { AutomationEnd, UnfinishedRun } from "../automations/runs/end-automation-run.ts";
import type { Deps } from "../deps.ts";
import type { Mail } from "../mail.ts";
import { chatUrl } from "../organizations/permalinks.ts";
import { type NotifyDeps, notifyPeople, type Recipient } from "./notify-people.ts";

type RunKind = "automation_summary" | "automation_run_failed";

/**
 * Notifies the automation's subscribers, in the app and by mail, according to their preferences. A person who stopped
 * the run gets no notification. Runs in the transaction that ends the run, so each notification is created exactly once.
 */
export async function notifyOfRun(deps: NotifyDeps, run: UnfinishedRun, end: AutomationEnd): Promise<void> {
  const { tx } = deps;
  const { id: runId, automationId, automationName, shortId, organizationId } = run;
  const kind = end.kind === "completed" ? "automation_summary" : "automation_run_failed";
  const except = end.kind === "failed" ? end.stoppedBy : undefined;
  const recipients = await findRecipients(tx, kind, { organizationId, automationId, except });
  if (recipients.length === 0) return;
  const { agent } = await tx.automationRun.findUniqueOrThrow({
    where: { id: runId },
    select: { agent: true },
  });
  const isUnchecked = agent === "external";
  const about = { automationId, automationName, runId, shortId };
  const detail =
    end.kind === "completed"
      ? { ...about, summary: end.summary, ...(isUnchecked && { isUnchecked }) }
      : { ...about, failure: end.failure };
  const mail = runMail(deps, run, { end, isUnchecked });
  await notifyPeople<RunKind>(deps, recipients, { organizationId, kind, detail, mail });
}

interface Told {
  organizationId: string;
  automationId: string;
  except: string | undefined;
}

/** Subscriptions are deleted with the membership, so every recipient is a member. Only those who see the automation. */
async function findRecipients(
  tx: Tx,
  kind: RunKind,
  { organizationId, automationId, except }: Told,
): Promise<Recipient[]> {
  const subscribers = await tx.automationSubscriber.findMany({
    where: {
      automationId,
      member: { user: { disabledAt: null } },
      ...(kind === "automation_summary" ? { onSummary: true } : { onFailure: true }),
      ...(except !== undefined && { userId: { not: except } }),
    },
    include: { member: { include: { user: { include: { notificationPreferences: { where: { kind } } } } } } },
    orderBy: { userId: "asc" },
  });
  const seeing = await tx.$queryRaw<{ userId: string }[]>`
    SELECT id AS "userId" FROM unnest(${subscribers.map(({ userId }) => userId)}::uuid[]) AS person(id)
    WHERE querybell_sees_automation(${organizationId}::uuid, id, ${automationId}::uuid)`;
  const isSeeing = new Set(seeing.map(({ userId }) => userId));
  return subscribers
    .filter(({ userId }) => isSeeing.has(userId))
    .map(({ userId, inApp, byMail, member: { user } }) => {
      const [preference = { inApp: true, byMail: true }] = user.notificationPreferences;
      return {
        userId,
        email: user.email,
        inApp: inApp && preference.inApp,
        byMail: byMail && preference.byMail,
      };
    });
}

/** The mail about the end of a run. */
function runMail(
  deps: Pick<Deps, "deployment">,
  run: UnfinishedRun,
  { end, isUnchecked }: { end: AutomationEnd; isUnchecked: boolean },
): Omit<Mail, "to"> {
  // A subject must be one line.
  const name = run.automationName.replaceAll(/\s+/g, " ");
  const [subject, what] =
    end.kind === "completed"
      ? [name, isUnchecked ? `${end.summary}\n\n${unchecked}` : end.summary]
      : [`${name}: the run failed`, reasonOf(end.failure)];
  return {
    subject,
    text: `${what}

The chat of this run: ${chatUrl(deps, run)}

You get this mail because the automation "${name}" names you. To stop mails like this one:
${deps.deployment.publicUrl}/account/notifications
`,
  };
}

const unchecked = "An external agent wrote this summary. Querybell has not checked it.";

const reasonOf = ({ code, reason }: AutomationFailure): string =>
  code === "stopped" ? "Somebody stopped the run before it was done." : `The run failed. ${reason}`;
