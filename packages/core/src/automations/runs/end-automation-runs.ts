import type { Prisma, Tx } from "@querybell/db";
import {
  type AutomationFailure,
  type Caller,
  newId,
  ownSteps,
  type WebhookOccurrence,
} from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks";
import { type NotifyDeps as EndDeps, notifyOfRuns } from "../../notifications/notify-of-runs.ts";
import { requestCancel } from "../../runs/cancel-run.ts";
import { lockAutomationRow } from "../find-automation.ts";
import { chatUrl, triggerOfAutomationRun } from "./automation-run-row.ts";
import { markReady } from "./insert-automation-run.ts";

export type AutomationEnd =
  | { kind: "completed"; summary: string }
  | { kind: "failed"; failure: AutomationFailure; stoppedBy?: string | undefined };

/** A person who stops a run is not told that it was stopped. The owner of a key that stops one may not know, and is. */
export const stoppedBy = ({ userId, via }: Pick<Caller, "userId" | "via">): AutomationEnd => ({
  kind: "failed",
  failure: { code: "stopped", reason: "stopped" },
  stoppedBy: via.kind === "session" ? userId : undefined,
});

interface Unfinished {
  id: string;
  /** Where it is given, a run that somebody else has begun since is left to them. */
  leaseNumber?: number;
}

/** Ends one run, as below. False when it has ended already, or is in other hands. */
export async function endAutomationRun(
  deps: EndDeps,
  { automationId, ...run }: Unfinished & { automationId: string },
  end: AutomationEnd,
): Promise<boolean> {
  const ended = await endAutomationRuns(deps, { automationId, runs: [run] }, end);
  return ended > 0;
}

/**
 * Ends runs of an automation in the same way, emits one event for each, tells its subscribers, and lets the next run
 * in the queue begin: all of it, or nothing. Returns how many have ended: those that had already, or are in other hands, are left.
 */
export async function endAutomationRuns(
  deps: EndDeps,
  { automationId, runs }: { automationId: string; runs: Unfinished[] },
  end: AutomationEnd,
): Promise<number> {
  const { tx } = deps;
  // Before the runs' rows, as in every transaction that starts or ends a run: none is left in the queue.
  await lockAutomationRow(tx, automationId);
  const ended = await tx.automationRun.updateManyAndReturn({
    where: {
      OR: runs.map(({ id, leaseNumber }) => ({ id, ...(leaseNumber !== undefined && { leaseNumber }) })),
      status: { in: end.kind === "completed" ? ["running"] : ["pending", "running"] },
    },
    data: { ...columnsOf(end), completedAt: deps.clock.now(), revision: { increment: 1 } },
  });
  if (ended.length === 0) return 0;
  for (const run of ended) {
    await closeTranscript(deps, run, end);
    await forgetResults(tx, run);
  }
  const emissions = ended.map((run) => ({
    organizationId: run.organizationId,
    occurrence: occurrenceOf(deps, run, end),
    cause: triggerOfAutomationRun(run.id),
  }));
  await emitEvents(deps, emissions);
  const except = end.kind === "failed" ? end.stoppedBy : undefined;
  await notifyOfRuns(deps, { automationId, runs: ended, end, except });
  await startNext(deps, automationId);
  return ended.length;
}

const columnsOf = (end: AutomationEnd) =>
  end.kind === "completed"
    ? { status: "completed" as const, summary: end.summary }
    : { status: "failed" as const, failureCode: end.failure.code, failureReason: end.failure.reason };

/** Nothing goes on in a run that has ended: open steps end with it, and the query runs that it started. */
async function closeTranscript(
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
  const itsOwn = open.flatMap(({ queryRun }) =>
    queryRun?.triggerId === triggerOfAutomationRun(runId) && !queryRun.completedAt ? [queryRun.id] : [],
  );
  if (itsOwn.length > 0) await requestCancel({ tx, clock }, itsOwn);
  if (end.kind === "failed") return;
  const said = { organizationId, runId, name: ownSteps.summary, position: revision, revision };
  await tx.automationStep.createMany({
    data: {
      id: newId(clock),
      ...said,
      kind: "message",
      state: "completed",
      text: end.summary,
      createdAt: endedAt,
      endedAt,
    },
    skipDuplicates: true,
  });
}

/** The results of the latest completed run are kept, for the next one to be compared with. */
async function forgetResults(tx: Tx, { id, automationId, status }: Prisma.AutomationRunModel): Promise<void> {
  const run = status === "completed" ? { automationId, id: { not: id } } : { id };
  await tx.automationResult.deleteMany({ where: { run } });
}

function occurrenceOf(deps: EndDeps, run: Prisma.AutomationRunModel, end: AutomationEnd): WebhookOccurrence {
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

async function startNext(deps: EndDeps, automationId: string): Promise<void> {
  const unfinished = await deps.tx.automationRun.findMany({
    where: { automationId, status: { in: ["pending", "running"] } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: 2,
  });
  const [next] = unfinished;
  if (next && unfinished.every(({ readyAt }) => readyAt === null)) await markReady(deps, next);
}
