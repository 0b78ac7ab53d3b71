import { inTransaction, type Tx } from "@querybell/db";
import { toStorable, type WebhookOccurrence } from "@querybell/domain";
import { readChangedRows } from "@querybell/engine-hosts";
import { createEvent, type EndpointsToWake, wakePumpsAfterCommit } from "@querybell/webhooks";
import type { Deps } from "../../deps.ts";
import { chatUrl } from "../../organizations/permalinks.ts";
import type { UnfinishedRun } from "../runs/end-automation-run.ts";
import type { RunJudgement } from "./judge-automation-run.ts";

type TellDeps = { tx: Tx } & Pick<Deps, "clock" | "deployment">;

interface ToTell {
  judgement: RunJudgement;
  at: Date;
}

/** How a run was judged, as `end_judged_run` stores it. */
export function toJudgementJson(judgement: RunJudgement): string {
  const { condition, judged, previousStatus, baseStepId, tellsPeople, isMuted } = judgement;
  const { state, told, reason, figures } = judged;
  return JSON.stringify({
    condition_id: condition.id,
    status: state.status,
    previous_status: previousStatus,
    runs_met: state.runsMet,
    runs_not_met: state.runsNotMet,
    open_since: state.open?.since,
    told_at: state.open?.toldAt,
    is_muted: isMuted,
    reason,
    base_step_id: baseStepId,
    told: told?.kind,
    told_people: tellsPeople,
    facts: told?.facts ?? [],
    figures: Object.keys(figures).length === 0 ? undefined : figures,
  });
}

/**
 * Emits what a judgement tells, in the transaction that stores it: that the condition is met or resolved, and changed rows.
 * Nothing, if it tells nothing.
 */
export async function tellJudgement(deps: TellDeps, run: UnfinishedRun, toTell: ToTell): Promise<void> {
  const { judgement, at } = toTell;
  if (!judgement.judged.told) return;
  await emitEvent(deps, run, {
    occurrence: toOccurrence(deps, run, judgement),
    cause: `automation_condition:${run.id}`,
    tellsPeople: judgement.tellsPeople,
    at,
  });
  if (judgement.changedRows && (await areRowsWanted(deps.tx, run))) await tellRows(deps, run, toTell);
}

function toOccurrence(
  deps: Pick<Deps, "deployment">,
  run: UnfinishedRun,
  { condition: { shortId: chart }, judged: { told } }: RunJudgement,
): WebhookOccurrence {
  if (!told) throw new Error("Nothing is told.");
  const { kind, since, facts } = told;
  const data = {
    automationId: run.automationId,
    runId: run.id,
    ...{ chart, since, facts },
    chatUrl: chatUrl(deps, run),
  };
  return kind === "resolved"
    ? { type: "automation.condition.resolved", data }
    : { type: "automation.condition.met", data: { ...data, isAgain: kind === "again" } };
}

/**
 * Whether changed rows are stored as events: if an endpoint asks for them, or if programs of the organization have
 * subscribed to events, which they can ask for again. Otherwise they would take space for nobody.
 */
async function areRowsWanted(tx: Tx, { organizationId }: UnfinishedRun): Promise<boolean> {
  const [found] = await inTransaction(tx)<{ areWanted: boolean }>({
    name: "are_changed_rows_wanted",
    text: `
      SELECT EXISTS (SELECT FROM event_streams WHERE organization_id = $1::uuid) OR EXISTS (
        SELECT FROM webhook_endpoints
        WHERE organization_id = $1::uuid AND state <> 'deleted' AND 'automation.rows.changed' = ANY(event_types)
      ) AS "areWanted"`,
    values: [organizationId],
  });
  return found?.areWanted ?? false;
}

/** Emits one event for each part. The parts are read one at a time: all together can take a hundred megabytes. */
async function tellRows(deps: TellDeps, run: UnfinishedRun, { judgement, at }: ToTell): Promise<void> {
  const { condition, changedRows } = judgement;
  const { counts, parts } = changedRows ?? { parts: [] };
  if (!counts) return;
  for (const [index, json] of parts.entries()) {
    const rows = readChangedRows(json);
    const part = index + 1;
    const about = {
      ...{ automationId: run.automationId, runId: run.id, chart: condition.shortId },
      ...{ part, parts: parts.length, ...counts },
      chatUrl: chatUrl(deps, run),
    };
    await emitEvent(deps, run, {
      occurrence: { type: "automation.rows.changed", data: { ...about, ...rows } },
      cause: `automation_rows:${run.id}:${part}`,
      // People are told by the event of the condition.
      tellsPeople: false,
      // Without the rows, which can contain what the database cannot search.
      filteredData: { ...about, key: rows.key.map(toStorable) },
      at,
    });
  }
}

interface EventToEmit {
  occurrence: WebhookOccurrence;
  cause: string;
  tellsPeople: boolean;
  /** What the filters of endpoints see. Default: the data of the event. */
  filteredData?: object;
  at: Date;
}

async function emitEvent(
  { tx, clock }: TellDeps,
  run: UnfinishedRun,
  { occurrence, cause, tellsPeople, filteredData, at }: EventToEmit,
): Promise<void> {
  const event = createEvent(clock, occurrence, at);
  const [woken] = await inTransaction(tx)<EndpointsToWake>({
    name: "emit_condition_event",
    text: `
      SELECT held_endpoints AS "heldEndpoints", free_endpoints AS "freeEndpoints"
      FROM emit_webhook_event($1::uuid, $2::uuid, $3, $4::bytea, $5, $6::uuid, $7::timestamptz, $8, $9::jsonb)`,
    values: [
      event.id,
      run.organizationId,
      event.type,
      event.body,
      cause,
      run.automationId,
      at,
      tellsPeople,
      filteredData ? JSON.stringify(filteredData) : null,
    ],
  });
  if (woken) wakePumpsAfterCommit(tx, woken);
}
