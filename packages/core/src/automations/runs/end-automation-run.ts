import { inTransaction, onPool, type RunStatement, type Tx } from "@querybell/db";
import { type AutomationFailure, type Caller, newId, type WebhookOccurrence } from "@querybell/domain";
import { createEvent, type EndpointsToWake, wakePumpsAfterCommit, wakePumpsNow } from "@querybell/webhooks";
import type { Deps } from "../../deps.ts";
import { notifyOfRun } from "../../notifications/notify-of-run.ts";
import { requestCancel } from "../../runs/cancel-run.ts";
import { chatUrl } from "./automation-run-row.ts";

export type AutomationEnd =
  | { kind: "completed"; summary: string }
  | { kind: "failed"; failure: AutomationFailure; stoppedBy?: string | undefined };

/** A person who stops a run in the app gets no notification of it. The owner of a key does: a program used it. */
export const stoppedBy = ({ userId, via }: Pick<Caller, "userId" | "via">): AutomationEnd => ({
  kind: "failed",
  failure: { code: "stopped", reason: "stopped" },
  stoppedBy: via.kind === "session" ? userId : undefined,
});

export interface UnfinishedRun {
  id: string;
  organizationId: string;
  automationId: string;
  automationName: string;
  shortId: string;
  /** If given, the run is ended only while this is its newest lease. */
  leaseNumber?: number;
}

type EndDeps = Pick<Deps, "clock" | "sealer" | "deployment">;

/**
 * Ends a run, emits its event, notifies the subscribers, and makes the next queued run ready, all in one transaction.
 * Returns the time of the end; undefined when the run has ended already, or when the lease is lost.
 */
export async function endAutomationRun(
  deps: EndDeps & Pick<Deps, "db">,
  run: UnfinishedRun,
  end: AutomationEnd,
): Promise<Date | undefined> {
  const completedAt = deps.clock.now();
  const ended = await callEnd(onPool(deps.db), { deps, run, end, completedAt, isAlone: true });
  switch (ended.outcome) {
    case "not_ended":
      return undefined;
    case "more_to_do":
      return deps.db.transaction((tx) => endAutomationRunIn({ ...deps, tx }, run, end));
    case "ended": {
      const { notices } = deps.db;
      notices.publish("querybell_automation_run_changed", ended.changedRuns);
      notices.publish("querybell_automation_run_ended", [run.id]);
      wakePumpsNow(notices, ended);
      return completedAt;
    }
  }
}

/** The same in the transaction of the caller. */
export async function endAutomationRunIn(
  deps: EndDeps & { tx: Tx },
  run: UnfinishedRun,
  end: AutomationEnd,
): Promise<Date | undefined> {
  const { tx } = deps;
  const completedAt = deps.clock.now();
  const ended = await callEnd(inTransaction(tx), { deps, run, end, completedAt, isAlone: false });
  if (ended.outcome !== "ended") return undefined;
  wakePumpsAfterCommit(tx, ended);
  if (ended.cancelledQueryRuns) await requestCancel(deps, ended.cancelledQueryRuns);
  const except = end.kind === "failed" ? end.stoppedBy : undefined;
  await notifyOfRun(deps, { run, end, except });
  return completedAt;
}

interface EndCall {
  deps: EndDeps;
  run: UnfinishedRun;
  end: AutomationEnd;
  completedAt: Date;
  /** Whether nothing else must happen in the transaction. Otherwise the database changes nothing: `more_to_do`. */
  isAlone: boolean;
}

type EndRow =
  | { outcome: "not_ended" | "more_to_do" }
  | ({ outcome: "ended"; changedRuns: string[]; cancelledQueryRuns: string[] | null } & EndpointsToWake);

async function callEnd(
  runStatement: RunStatement,
  { deps, run, end, completedAt, isAlone }: EndCall,
): Promise<EndRow> {
  const event = createEvent(deps.clock, toOccurrence(deps, run, end), completedAt);
  const { summary, failure } = { summary: null, failure: { code: null, reason: null }, ...end };
  const [row] = await runStatement<EndRow>({
    name: "end_automation_run",
    text: `
      SELECT outcome, changed_runs AS "changedRuns", cancelled_query_runs AS "cancelledQueryRuns",
        held_endpoints AS "heldEndpoints", free_endpoints AS "freeEndpoints"
      FROM end_automation_run($1::uuid, $2::uuid, $3::int, $4::run_status, $5, $6, $7, $8::uuid, $9::timestamptz,
        $10::uuid, $11, $12::bytea, $13::boolean)`,
    values: [
      run.id,
      run.automationId,
      run.leaseNumber ?? null,
      end.kind,
      summary,
      failure.code,
      failure.reason,
      newId(deps.clock),
      completedAt,
      event.id,
      event.type,
      event.body,
      isAlone,
    ],
  });
  return row ?? { outcome: "not_ended" };
}

function toOccurrence(
  deps: Pick<Deps, "deployment">,
  run: UnfinishedRun,
  end: AutomationEnd,
): WebhookOccurrence {
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
