import { inTransaction, onPool, type RunStatement, type Tx } from "@querybell/db";
import {
  type AutomationFailure,
  type AutomationRun,
  type AutomationRunId,
  type Caller,
  newId,
  type WebhookOccurrence,
} from "@querybell/domain";
import { createEvent, type EndpointsToWake, wakePumpsAfterCommit, wakePumpsNow } from "@querybell/webhooks";
import type { Deps } from "../../deps.ts";
import { notifyOfRun } from "../../notifications/notify-of-run.ts";
import { chatUrl } from "../../organizations/permalinks.ts";
import { requestCancel } from "../../runs/cancel-run.ts";
import type { RunJudgement } from "../conditions/judge-automation-run.ts";
import { tellJudgement, toJudgementJson } from "../conditions/tell-judgement.ts";
import type { RecipientMessages } from "../recipients/make-messages.ts";
import { storeMessages } from "../recipients/store-messages.ts";
import {
  automationNameOf,
  getAutomationRun,
  getAutomationRunRow,
  type NamedRunRow,
  namedRunColumns,
} from "./get-automation-run.ts";

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

/** What a run tells besides its end. */
export interface ToldWithEnd {
  /** How the condition of its automation was judged. Superseded: it had another one when the run was triggered. */
  judgement?: RunJudgement | "superseded" | undefined;
  /** The messages to those whom rows name. */
  messages?: RecipientMessages | undefined;
}

type EndDeps = Pick<Deps, "clock" | "sealer" | "deployment">;

/**
 * Ends a run, emits its event, notifies the subscribers, and makes the next queued run ready, all in one transaction.
 * Returns the time of the end; undefined when the run has ended already, or when the lease is lost. If the automation has
 * a condition, people get no summary unless it speaks.
 */
export async function endAutomationRun(
  deps: EndDeps & Pick<Deps, "db">,
  run: UnfinishedRun,
  end: AutomationEnd,
  told: ToldWithEnd = {},
): Promise<Date | undefined> {
  const { judgement, messages } = told;
  if (messages || (isRecorded(judgement) && judgement.judged.told)) {
    return deps.db.transaction((tx) => endAutomationRunIn({ ...deps, tx }, run, end, told));
  }
  const completedAt = deps.clock.now();
  const ended = await callEnd(onPool(deps.db), { deps, run, end, judgement, completedAt, isAlone: true });
  return finishEnd(deps, { run, end, judgement, completedAt, ended });
}

const isRecorded = (judgement: ToldWithEnd["judgement"]): judgement is RunJudgement =>
  judgement !== undefined && judgement !== "superseded";

interface ClaimToEnd extends Pick<UnfinishedRun, "id" | "organizationId"> {
  leaseNumber: number;
  leaseHolder: string;
}

interface EndedClaim {
  /** As it was before its end. */
  run: NamedRunRow;
  completedAt: Date;
}

/**
 * Reads and ends a run that an external agent has claimed, in one statement. Undefined when the claim is not, or no
 * longer, that of the run.
 */
export async function endClaimedRun(
  deps: EndDeps & Pick<Deps, "db">,
  { id, organizationId, leaseNumber, leaseHolder }: ClaimToEnd,
  end: AutomationEnd,
): Promise<EndedClaim | undefined> {
  const { clock, db } = deps;
  const completedAt = clock.now();
  // The event names what only the database knows here. It puts the values in the place of these ids, which are new: no
  // summary contains them.
  const unknown = { automationId: newId(clock), shortId: newId(clock) };
  const event = createEvent(clock, toOccurrence(deps, { id, ...unknown }, end), completedAt);
  const { rows } = await db.pool.query<NamedRunRow & EndRow>({
    name: "end_claimed_run",
    text: `
      SELECT ${namedRunColumns}, ${endColumns}
      FROM automation_runs r CROSS JOIN LATERAL end_automation_run(r.id, r.automation_id, r.lease_number, $5::run_status, $6,
        $7, $8, $9::uuid, $10::timestamptz, $11::uuid, $12,
        convert_to(replace(replace(convert_from($13::bytea, 'UTF8'), $14, r.automation_id::text), $15, r.short_id), 'UTF8'),
        true)
      WHERE id = $1 AND organization_id = $2 AND lease_number = $3::bigint AND lease_holder = $4
        AND agent = 'external' AND status = 'running'`,
    values: [
      id,
      organizationId,
      leaseNumber,
      leaseHolder,
      ...endValues(deps, end, completedAt),
      event.id,
      event.type,
      event.body,
      unknown.automationId,
      unknown.shortId,
    ],
  });
  const [run] = rows;
  if (!run) return undefined;
  const endedAt = await finishEnd(deps, {
    run: { ...run, organizationId, leaseNumber },
    end,
    completedAt,
    ended: run,
  });
  return endedAt && { run, completedAt: endedAt };
}

interface EndToFinish extends Omit<EndCall, "deps" | "isAlone"> {
  ended: EndRow;
}

/** Publishes an end that was committed alone, or ends the run in a transaction that does more. */
async function finishEnd(
  deps: EndDeps & Pick<Deps, "db">,
  { run, end, judgement, completedAt, ended }: EndToFinish,
): Promise<Date | undefined> {
  switch (ended.outcome) {
    case "not_ended":
      return undefined;
    case "more_to_do":
      return deps.db.transaction((tx) => endAutomationRunIn({ ...deps, tx }, run, end, { judgement }));
    case "ended": {
      const { notices } = deps.db;
      wakePumpsNow(notices, ended);
      notices.publish("querybell_automation_run_changed", ended.changedRuns);
      notices.publish("querybell_automation_run_ended", [run.id]);
      return completedAt;
    }
  }
}

/** The same in the transaction of the caller. */
export async function endAutomationRunIn(
  deps: EndDeps & { tx: Tx },
  run: UnfinishedRun,
  end: AutomationEnd,
  { judgement, messages }: ToldWithEnd = {},
): Promise<Date | undefined> {
  const { tx } = deps;
  const completedAt = deps.clock.now();
  const call = { deps, run, end, judgement, completedAt, isAlone: false };
  const ended = await callEnd(inTransaction(tx), call);
  if (ended.outcome !== "ended") return undefined;
  wakePumpsAfterCommit(tx, ended);
  if (ended.cancelledQueryRuns) await requestCancel(deps, ended.cancelledQueryRuns);
  const isStillJudged = !judgement || (isRecorded(judgement) && ended.isJudged);
  if (isRecorded(judgement) && isStillJudged) await tellJudgement(deps, run, { judgement, at: completedAt });
  if (messages && isStillJudged) await storeMessages(deps, run, { messages, at: completedAt });
  if (tellsPeople(call)) await notifyOfRun(deps, run, end);
  return completedAt;
}

/** A condition that has been changed since the run was triggered does not speak in it. */
const tellsPeople = ({ judgement, end }: Pick<EndCall, "judgement" | "end">): boolean =>
  end.kind === "failed" || !judgement || (isRecorded(judgement) && judgement.tellsPeople);

/**
 * Locks the organization's event stream. Called before automations are locked, in a transaction that then ends their runs:
 * ending a run locks in this order too, so the two never deadlock.
 */
export async function lockEventStream(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
): Promise<void> {
  await tx.$queryRaw`SELECT lock_event_stream(${organizationId}::uuid)::text`;
}

interface EndCall extends Pick<ToldWithEnd, "judgement"> {
  deps: EndDeps;
  run: UnfinishedRun;
  end: AutomationEnd;
  completedAt: Date;
  /**
   * Whether the transaction does nothing else. If it must, the database changes nothing and returns
   * `more_to_do`.
   */
  isAlone: boolean;
}

type EndRow =
  | { outcome: "not_ended" | "more_to_do" }
  | ({
      outcome: "ended";
      changedRuns: string[];
      cancelledQueryRuns: string[] | null;
      /** Only with a judgement: false if the condition was changed meanwhile. */
      isJudged?: boolean;
    } & EndpointsToWake);

const endColumns = `outcome, changed_runs AS "changedRuns", cancelled_query_runs AS "cancelledQueryRuns",
  held_endpoints AS "heldEndpoints", free_endpoints AS "freeEndpoints"`;

/** From `new_status` to `end_time`. */
function endValues({ clock }: Pick<Deps, "clock">, end: AutomationEnd, completedAt: Date) {
  const { summary, failure } = { summary: null, failure: { code: null, reason: null }, ...end };
  return [end.kind, summary, failure.code, failure.reason, newId(clock), completedAt];
}

async function callEnd(
  runStatement: RunStatement,
  { deps, run, end, judgement, completedAt, isAlone }: EndCall,
): Promise<EndRow> {
  const event = createEvent(deps.clock, toOccurrence(deps, run, end), completedAt);
  const values = [
    run.id,
    run.automationId,
    run.leaseNumber ?? null,
    ...endValues(deps, end, completedAt),
    event.id,
    event.type,
    event.body,
    isAlone,
    tellsPeople({ judgement, end }),
  ];
  const parameters = `$1::uuid, $2::uuid, $3::int, $4::run_status, $5, $6, $7, $8::uuid, $9::timestamptz,
        $10::uuid, $11, $12::bytea, $13::boolean, $14::boolean`;
  const [row] = isRecorded(judgement)
    ? await runStatement<EndRow>({
        name: "end_judged_run",
        text: `
      SELECT ${endColumns}, is_judged AS "isJudged"
      FROM end_judged_run(${parameters}, $15::jsonb)`,
        values: [...values, toJudgementJson(judgement)],
      })
    : await runStatement<EndRow>({
        name: "end_automation_run",
        text: `
      SELECT ${endColumns}
      FROM end_automation_run(${parameters})`,
        values,
      });
  return row ?? { outcome: "not_ended" };
}

function toOccurrence(
  deps: Pick<Deps, "deployment">,
  run: Pick<UnfinishedRun, "id" | "automationId" | "shortId">,
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

/**
 * Ends a run at once. The worker or agent that holds its lease loses it, and notices at its next renewal or write. A run
 * that has ended is not changed.
 */
export async function stopAutomationRun(
  deps: Deps,
  caller: Caller,
  { id }: AutomationRunId,
): Promise<AutomationRun> {
  // Without the lease number: the run ends, whichever worker executes it.
  const { leaseNumber: _, ...run } = await getAutomationRunRow(deps, caller, { id });
  await endAutomationRun(deps, { ...run, automationName: automationNameOf(run) }, stoppedBy(caller));
  return getAutomationRun(deps, caller, { id });
}
