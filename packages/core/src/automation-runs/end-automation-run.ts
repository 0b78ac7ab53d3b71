import type { Prisma, Tx } from "@querybell/db";
import { type AutomationFailure, newId, ownSteps, type WebhookOccurrence } from "@querybell/domain";
import { lockAutomationRow } from "../automations/find-automation.ts";
import type { Deps } from "../deps.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import { emitEvent } from "../webhooks/emit-event.ts";
import { chatUrl, triggerOfAutomationRun } from "./automation-run-row.ts";
import { giveTurn } from "./insert-automation-run.ts";

export type AutomationEnd =
  | { kind: "completed"; summary: string }
  | { kind: "failed"; failure: AutomationFailure };

export const stoppedFailure: AutomationFailure = { code: "stopped", reason: "stopped" };

interface Ended {
  id: string;
  automationId: string;
  /** Where it is given, a run that somebody else has begun since is left to them. */
  leaseNumber?: number;
}

type EndDeps = { tx: Tx } & Pick<Deps, "clock" | "deployment">;

/**
 * Ends a run, emits its one event, and lets the next run in the queue begin: all of it, or nothing. False when
 * the run has ended already, or is in other hands.
 */
export async function endAutomationRun(
  deps: EndDeps,
  { id, automationId, leaseNumber }: Ended,
  end: AutomationEnd,
): Promise<boolean> {
  const { tx } = deps;
  // Before the run's row, as in every transaction that starts or ends a run: none is left in the queue.
  await lockAutomationRow(tx, automationId);
  const { count } = await tx.automationRun.updateMany({
    where: {
      id,
      ...(leaseNumber !== undefined && { leaseNumber }),
      status: { in: end.kind === "completed" ? ["running"] : ["pending", "running"] },
    },
    data: { ...columnsOf(end), completedAt: deps.clock.now(), revision: { increment: 1 } },
  });
  if (count === 0) return false;
  const run = await tx.automationRun.findUniqueOrThrow({ where: { id } });
  await closeTranscript(deps, run, end);
  await forgetResults(tx, run);
  await emitEvent(deps, {
    organizationId: run.organizationId,
    occurrence: occurrenceOf(deps, run, end),
    cause: triggerOfAutomationRun(id),
  });
  await startNext(deps, automationId);
  return true;
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
  if (next && unfinished.every(({ readyAt }) => readyAt === null)) await giveTurn(deps, next);
}
