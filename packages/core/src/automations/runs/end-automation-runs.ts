import type { Prisma, Tx } from "@querybell/db";
import {
  type AutomationFailure,
  type Caller,
  newId,
  ownSteps,
  type WebhookOccurrence,
} from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks";
import { lockRow } from "../../lock-row.ts";
import { type NotifyDeps as EndDeps, notifyOfRuns } from "../../notifications/notify-of-runs.ts";
import { requestCancel } from "../../runs/cancel-run.ts";
import { chatUrl, triggerOfAutomationRun } from "./automation-run-row.ts";
import { markReady } from "./insert-automation-run.ts";

export type AutomationEnd =
  | { kind: "completed"; summary: string }
  | { kind: "failed"; failure: AutomationFailure; stoppedBy?: string | undefined };

/** A person who stops a run in the app gets no notification of it. The owner of a key does: a program used it. */
export const stoppedBy = ({ userId, via }: Pick<Caller, "userId" | "via">): AutomationEnd => ({
  kind: "failed",
  failure: { code: "stopped", reason: "stopped" },
  stoppedBy: via.kind === "session" ? userId : undefined,
});

interface Unfinished {
  id: string;
  /** If given, the run is ended only while this is its newest lease. */
  leaseNumber?: number;
}

/** Ends one run. False when it has ended already, or when the lease is lost. */
export async function endAutomationRun(
  deps: EndDeps,
  { automationId, ...run }: Unfinished & { automationId: string },
  end: AutomationEnd,
): Promise<boolean> {
  const ended = await endAutomationRuns(deps, { automationId, runs: [run] }, end);
  return ended > 0;
}

/**
 * Ends runs of an automation with the same outcome, emits one event for each, notifies the subscribers, and makes the
 * next queued run ready, all in one transaction. Skips runs that have ended already or whose lease is lost. Returns
 * the number of runs that this call ended.
 */
export async function endAutomationRuns(
  deps: EndDeps,
  { automationId, runs }: { automationId: string; runs: Unfinished[] },
  end: AutomationEnd,
): Promise<number> {
  const { tx } = deps;
  // Every transaction that starts or ends a run locks the automation first, so that the next run is never missed.
  await lockRow(tx, { table: "automations", key: { id: automationId } });
  const ended = await tx.automationRun.updateManyAndReturn({
    where: {
      OR: runs.map(({ id, leaseNumber }) => ({ id, ...(leaseNumber !== undefined && { leaseNumber }) })),
      status: { in: end.kind === "completed" ? ["running"] : ["pending", "running"] },
    },
    data: { ...toColumns(end), completedAt: deps.clock.now(), revision: { increment: 1 } },
  });
  if (ended.length === 0) return 0;
  for (const run of ended) {
    await endOpenSteps(deps, run, end);
    await deleteOldResults(tx, run);
  }
  const emissions = ended.map((run) => ({
    organizationId: run.organizationId,
    occurrence: toOccurrence(deps, run, end),
    cause: triggerOfAutomationRun(run.id),
  }));
  await emitEvents(deps, emissions);
  const except = end.kind === "failed" ? end.stoppedBy : undefined;
  await notifyOfRuns(deps, { automationId, runs: ended, end, except });
  await markNextReady(deps, automationId);
  return ended.length;
}

const toColumns = (end: AutomationEnd) =>
  end.kind === "completed"
    ? { status: "completed" as const, summary: end.summary }
    : { status: "failed" as const, failureCode: end.failure.code, failureReason: end.failure.reason };

/** Ends the open steps of a run, cancels the query runs that it started, and writes the summary step. */
async function endOpenSteps(
  { tx, clock }: EndDeps,
  { id: runId, organizationId, revision }: Prisma.AutomationRunModel,
  end: AutomationEnd,
): Promise<void> {
  const endedAt = clock.now();
  const open = await tx.automationStep.findMany({
    where: { runId, state: "running" },
    include: { queryRun: true },
  });
  if (open.length > 0) {
    await tx.automationStep.updateMany({
      where: { runId, state: "running" },
      data: { state: end.kind, endedAt, revision },
    });
  }
  const ownQueryRuns = open.flatMap(({ queryRun }) =>
    queryRun?.triggerId === triggerOfAutomationRun(runId) && !queryRun.completedAt ? [queryRun.id] : [],
  );
  if (ownQueryRuns.length > 0) await requestCancel({ tx, clock }, ownQueryRuns);
  if (end.kind === "failed") return;
  const summaryStep = { organizationId, runId, name: ownSteps.summary, position: revision, revision };
  await tx.automationStep.createMany({
    data: {
      id: newId(clock),
      ...summaryStep,
      kind: "message",
      state: "completed",
      text: end.summary,
      createdAt: endedAt,
      endedAt,
    },
    skipDuplicates: true,
  });
}

/** Keeps only the results of the latest completed run, which the next run is compared with. */
async function deleteOldResults(
  tx: Tx,
  { id, automationId, status }: Prisma.AutomationRunModel,
): Promise<void> {
  const run = status === "completed" ? { automationId, id: { not: id } } : { id };
  await tx.automationResult.deleteMany({ where: { run } });
}

function toOccurrence(deps: EndDeps, run: Prisma.AutomationRunModel, end: AutomationEnd): WebhookOccurrence {
  const about = { automationId: run.automationId, runId: run.id };
  if (end.kind === "failed") {
    return { type: "automation.run.failed", data: { ...about, reason: end.failure.reason } };
  }
  const { summary } = end;
  return {
    type: "automation.run.completed",
    data: { ...about, summary, chatUrl: chatUrl(deps, run), imageUrl: null },
  };
}

async function markNextReady(deps: EndDeps, automationId: string): Promise<void> {
  const unfinished = await deps.tx.automationRun.findMany({
    where: { automationId, status: { in: ["pending", "running"] } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: 2,
  });
  const [next] = unfinished;
  if (next && unfinished.every(({ readyAt }) => readyAt === null)) await markReady(deps, next);
}
