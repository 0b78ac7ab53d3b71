import type { Prisma } from "@querybell/db";
import { AutomationBrief, AutomationRun } from "@querybell/domain";
import type { Deps } from "../../deps.ts";

export const toAutomationRun = (
  deps: Pick<Deps, "deployment">,
  row: Prisma.AutomationRunModel,
): AutomationRun =>
  AutomationRun.parse({
    ...row,
    automationName: AutomationBrief.parse(row.brief).name,
    scheduledFor: row.scheduledFor?.toISOString() ?? null,
    runAt: row.createdAt.toISOString(),
    isQueued: row.status === "pending" && row.readyAt === null,
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    failure: row.failureCode === null ? null : { code: row.failureCode, reason: row.failureReason },
    chatUrl: chatUrl(deps, row),
  });

/** The permalink of a run's chat. */
export const chatUrl = (
  { deployment }: Pick<Deps, "deployment">,
  { shortId }: Pick<Prisma.AutomationRunModel, "shortId">,
): string => `${deployment.publicUrl}/chats/${shortId}`;

/** What started the query runs of an automation's run. */
export const triggerOfAutomationRun = (runId: string): string => `automation_run:${runId}`;
