import {
  AppError,
  type ConditionState,
  ConditionStatus,
  comparesWithLastRun,
  leavesOf,
  type StoredAutomationCondition,
} from "@querybell/domain";
import type { ChangedRows, EngineFailure, JudgedRun, JudgeTask, StoredResult } from "@querybell/engine-hosts";
import { z } from "zod";
import { inMemory, readStoredBytes, smallBytes } from "../../results/read-result.ts";
import type { StepResult } from "../agents/agent.ts";
import { runReference } from "../agents/tools/run-reference.ts";
import { toStoredResult } from "../agents/tools/step-results.ts";
import { type ToolWork, toQueryStepName } from "../agents/tools/tool-call.ts";
import { toSplit } from "../recipients/make-messages.ts";
import type { AutomationEnd } from "../runs/end-automation-run.ts";

/** How a run was judged by the condition of its automation. Stored in the transaction that ends the run. */
export interface RunJudgement {
  condition: StoredAutomationCondition;
  judged: Pick<JudgedRun, "state" | "told" | "reason" | "figures" | "groups">;
  /** The changed rows, if that is what is told. */
  changedRows: ChangedRows | null;
  previousStatus: ConditionStatus | null;
  /** The step with whose result the next run is compared; null: with the same as this one. */
  baseStepId: string | null;
  /** Whether something is told, and to people too: not during a snooze. */
  tellsPeople: boolean;
  /** Whether people have still to be told that it is met, because a snooze kept them from it. */
  isMuted: boolean;
}

/**
 * Judges a run that is about to end. Changes nothing but the chat: if the worker dies before the run has ended, the next
 * one judges it again. Undefined if the automation has no condition; "superseded" if it had another one when the run was
 * triggered.
 */
export async function judgeAutomationRun(
  work: ToolWork,
  end: AutomationEnd,
): Promise<RunJudgement | "superseded" | undefined> {
  const { deps, run, signal } = work;
  const { condition } = run.brief;
  if (!condition) return undefined;
  const row = await readState(work, condition);
  if (!row) return findSuperseded(work);
  const now = deps.clock.now();
  const isSnoozed = row.snoozedUntil !== null && row.snoozedUntil > now;
  const charts = end.kind === "completed" ? await readCharts(work, condition) : new Map<string, StepResult>();
  const needsBase = comparesWithLastRun(condition.rule.condition);
  const inputs = [
    ...Array.from(charts, ([shortId, stored]) => ({
      input: { kind: shortId === condition.shortId ? "result" : "chart", shortId, cut: stored.cut } as const,
      result: toStoredResult(work, stored),
    })),
    ...(needsBase ? toBase(work, { condition, row, result: charts.get(condition.shortId) }) : []),
  ];
  const judging: JudgeTask = {
    // What somebody has acknowledged is not told again.
    rule: row.acknowledgedAt ? { ...condition.rule, repeatAfterMinutes: null } : condition.rule,
    // What a snooze kept from people is told by the first run after it.
    isDue: row.isMuted && !isSnoozed && !row.acknowledgedAt,
    before: toConditionState(row),
    now: now.toISOString(),
    inputs: inputs.map(({ input }) => input),
    past: await readPastFigures(work, condition),
    ...(run.brief.recipients && { recipients: toSplit(run.brief.recipients) }),
  };
  const results = inputs.map(({ result }) => result);
  const outcome = await deps.engines
    .judgeRun({ organizationId: run.organizationId, judging, results }, { signal })
    .catch((error: unknown) => {
      // A change of the condition has deleted what the run would have been compared with.
      if (error instanceof AppError && error.code === "result_expired") return undefined;
      throw error;
    });
  if (!outcome) return findSuperseded(work);
  if (outcome.kind === "failed") signal.throwIfAborted();
  const judged = outcome.kind === "judged" ? outcome.judged : notJudged(judging, outcome.failure);
  const changedRows = outcome.kind === "judged" ? outcome.changedRows : null;
  const { told, state, isNextBase } = judged;
  const tellsPeople = told !== null && !isSnoozed;
  const wasMuted = row.isMuted || (told !== null && isSnoozed);
  return {
    condition,
    judged,
    changedRows,
    previousStatus: ConditionStatus.nullable().parse(row.status),
    baseStepId: needsBase && isNextBase ? (charts.get(condition.shortId)?.stepId ?? null) : null,
    tellsPeople,
    isMuted: state.open !== null && !tellsPeople && wasMuted,
  };
}

/** Whether the automation has another condition now than when the run was triggered. Without one it always speaks. */
async function findSuperseded({ deps, run }: ToolWork): Promise<"superseded" | undefined> {
  const states = await deps.db.prisma.automationConditionState.count({
    where: { automationId: run.automationId },
  });
  return states > 0 ? "superseded" : undefined;
}

/** The results of the judged chart and of those that it is compared with, by their short ids. */
async function readCharts(
  work: ToolWork,
  { shortId, rule }: StoredAutomationCondition,
): Promise<Map<string, StepResult>> {
  const { references, recipients } = work.run.brief;
  const compared = leavesOf(rule.condition).flatMap((leaf) =>
    "is" in leaf && leaf.is.to.kind === "chart" ? [leaf.is.to.shortId] : [],
  );
  const results = new Map<string, StepResult>();
  for (const wanted of new Set([shortId, ...compared, ...(recipients ? [recipients.shortId] : [])])) {
    const reference = references.find((one) => one.shortId === wanted);
    if (!reference) continue;
    const input = { shortId: wanted, parameterValues: reference.parameterValues };
    const call = { name: toQueryStepName(input), tool: "run_query", input };
    // The agent has run it before, so its answer is known, or its step. A model may not have.
    const outcome = await runReference(work, call, input);
    if (outcome.kind === "answered") results.set(wanted, outcome.answer.result);
  }
  return results;
}

interface StateRow {
  status: string | null;
  runsMet: number;
  runsNotMet: number;
  openSince: Date | null;
  toldAt: Date | null;
  isMuted: boolean;
  acknowledgedAt: Date | null;
  snoozedUntil: Date | null;
  /** Null if there is no base, or its rights are not known. */
  baseRightsHash: Buffer | null;
  /** Null if there is no base, or it is large. */
  baseBytes: Buffer | null;
}

/** Reads the state of a condition, and of what the run is compared with as much as is small. */
async function readState(
  { deps, run }: ToolWork,
  condition: StoredAutomationCondition,
): Promise<StateRow | undefined> {
  const { rows } = await deps.db.pool.query<StateRow>({
    name: "read_condition_state",
    text: `
      SELECT state.status::text, state.runs_met AS "runsMet", state.runs_not_met AS "runsNotMet",
        state.open_since AS "openSince", state.told_at AS "toldAt", state.is_muted AS "isMuted",
        state.acknowledged_at AS "acknowledgedAt", state.snoozed_until AS "snoozedUntil",
        base.rights_hash AS "baseRightsHash",
        CASE WHEN octet_length(base.gzipped_json) <= ${smallBytes} THEN base.gzipped_json END AS "baseBytes"
      FROM automation_condition_states state
        LEFT JOIN automation_condition_bases base ON base.condition_id = state.condition_id
      WHERE state.condition_id = $1 AND state.organization_id = $2`,
    values: [condition.id, run.organizationId],
  });
  return rows[0];
}

/** None if it is of other rights than the result: rows that the automation's person may not see would count as left. */
function toBase(
  { deps, run: { organizationId } }: ToolWork,
  {
    condition,
    row,
    result,
  }: { condition: StoredAutomationCondition; row: StateRow; result: StepResult | undefined },
): { input: JudgeTask["inputs"][number]; result: StoredResult }[] {
  const { baseRightsHash, baseBytes } = row;
  if (!result?.rightsHash || !baseRightsHash?.equals(result.rightsHash)) return [];
  const key = { table: "automation_condition_bases", organizationId, conditionId: condition.id } as const;
  const read = () => (baseBytes ? inMemory(baseBytes) : readStoredBytes(deps, key));
  return [{ input: { kind: "base", cut: false }, result: { cut: false, read } }];
}

function toConditionState({
  status,
  runsMet,
  runsNotMet,
  openSince,
  toldAt,
}: StateRow): ConditionState | null {
  if (status === null) return null;
  const open = openSince && toldAt && { since: openSince.toISOString(), toldAt: toldAt.toISOString() };
  return { status: ConditionStatus.parse(status), runsMet, runsNotMet, open };
}

const Figures = z.record(z.string(), z.number().nullable());

/** Of all parts together: half of a year of hourly runs with two parts. */
const maxPastFigures = 10_000;

async function readPastFigures(
  { deps }: ToolWork,
  { id, rule }: StoredAutomationCondition,
): Promise<JudgeTask["past"]> {
  const needed = leavesOf(rule.condition).filter(
    (leaf) => leaf.kind === "out_of_the_ordinary" && leaf.dates === undefined,
  ).length;
  if (needed === 0) return {};
  const { rows } = await deps.db.pool.query<{ at: Date; figures: unknown }>({
    name: "read_past_condition_figures",
    text: `
      SELECT at, figures FROM automation_condition_judgements
      WHERE condition_id = $1 AND figures IS NOT NULL
      ORDER BY condition_id, at DESC, run_id DESC LIMIT $2`,
    values: [id, Math.floor(maxPastFigures / needed)],
  });
  const past: JudgeTask["past"] = {};
  for (const { at, figures } of rows.reverse()) {
    for (const [leaf, figure] of Object.entries(Figures.parse(figures))) {
      past[leaf] ??= [];
      past[leaf].push([at.getTime(), figure]);
    }
  }
  return past;
}

/** What was met stays open, as always without data. */
function notJudged({ before }: JudgeTask, { code, message }: EngineFailure) {
  const isTooLarge = code === "out_of_memory" || code === "query_timeout";
  const reason = isTooLarge
    ? "Judging the results takes too much memory, or more than five minutes. Let the query return fewer rows."
    : `The results could not be judged: ${message}`;
  const counts = { runsMet: before?.runsMet ?? 0, runsNotMet: before?.runsNotMet ?? 0 };
  const state: ConditionState = { status: "no_data", ...counts, open: before?.open ?? null };
  return { state, told: null, reason, isNextBase: false, figures: {}, groups: null };
}
