import type { Tx } from "@querybell/db";
import {
  AppError,
  type AutomationConditionState,
  type AutomationId,
  type Caller,
  type ConditionChangeList,
  ConditionStatus,
  ConditionTold,
  maxConditionChanges,
  maxSnoozeDays,
  type SnoozeCondition,
  ToldFact,
} from "@querybell/domain";
import { z } from "zod";
import { recordAudit } from "../../audit.ts";
import type { Deps } from "../../deps.ts";
import { chatUrl } from "../../organizations/permalinks.ts";
import { getAutomationRow, lockAutomation } from "../get-automation.ts";

/** Columns of `automation_condition_states`, as `toConditionState` reads them. */
export interface ConditionStateRow {
  status: string | null;
  openSince: Date | null;
  toldAt: Date | null;
  reason: string | null;
  judgedAt: Date | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  snoozedUntil: Date | null;
  snoozedBy: string | null;
}

/** The state as people see it. A snooze that is over is not shown. */
export const toShownState = (
  { clock }: Pick<Deps, "clock">,
  row: ConditionStateRow,
): AutomationConditionState => ({
  status: ConditionStatus.nullable().parse(row.status),
  since: row.openSince?.toISOString() ?? null,
  toldAt: row.toldAt?.toISOString() ?? null,
  reason: row.reason,
  judgedAt: row.judgedAt?.toISOString() ?? null,
  acknowledged: row.acknowledgedAt && { by: row.acknowledgedBy, at: row.acknowledgedAt.toISOString() },
  snoozed:
    row.snoozedUntil && row.snoozedUntil > clock.now()
      ? { by: row.snoozedBy, until: row.snoozedUntil.toISOString() }
      : null,
});

/** Says that the caller has seen that the condition is met: it is not told again until it is resolved. */
export async function acknowledgeCondition(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<AutomationConditionState> {
  return changeState(deps, caller, id, async (tx, { conditionId, openSince, acknowledgedAt }) => {
    if (!openSince) {
      throw new AppError("conflict", "The condition is not met, so there is nothing to acknowledge.");
    }
    if (acknowledgedAt) return undefined;
    await tx.automationConditionState.update({
      where: { conditionId },
      data: { acknowledgedAt: deps.clock.now(), acknowledgedBy: caller.userId, isMuted: false },
    });
    return { action: "automation.condition_acknowledged" };
  });
}

const dayMs = 24 * 60 * 60 * 1000;

/** People are told nothing until a time. */
export async function snoozeCondition(
  deps: Deps,
  caller: Caller,
  { id, until }: SnoozeCondition,
): Promise<AutomationConditionState> {
  const now = deps.clock.now();
  const end = until === null ? null : new Date(until);
  if (end && (end <= now || end.getTime() > now.getTime() + maxSnoozeDays * dayMs)) {
    const message = `must lie within the next ${maxSnoozeDays} days`;
    throw new AppError("invalid_request", `The end of the snooze ${message}.`, {
      errors: [{ path: "until", message }],
    });
  }
  return changeState(deps, caller, id, async (tx, { conditionId, snoozedUntil }) => {
    if (end === null && snoozedUntil === null) return undefined;
    await tx.automationConditionState.update({
      where: { conditionId },
      data: { snoozedUntil: end, snoozedBy: end && caller.userId },
    });
    return end
      ? { action: "automation.condition_snoozed", detail: { until: end.toISOString() } }
      : { action: "automation.condition_unsnoozed" };
  });
}

type StateModel = NonNullable<Awaited<ReturnType<Tx["automationConditionState"]["findUnique"]>>>;
type Change = Pick<Parameters<typeof recordAudit>[2], "action" | "detail">;

/** Locks the automation, so that no run of it ends meanwhile. */
async function changeState(
  deps: Deps,
  caller: Caller,
  automationId: string,
  change: (tx: Tx, state: StateModel) => Promise<Change | undefined>,
): Promise<AutomationConditionState> {
  return deps.db.transaction(async (tx) => {
    const { name } = await lockAutomation(tx, caller, automationId);
    const where = { automationId };
    const state = await tx.automationConditionState.findUnique({ where });
    if (!state) throw new AppError("conflict", "This automation has no condition: it always speaks.");
    const changed = await change(tx, state);
    if (changed) {
      const { action, detail = {} } = changed;
      const record = { action, targetId: automationId, detail: { name, ...detail } };
      await recordAudit({ ...deps, tx }, caller, record);
    }
    return toShownState(deps, await tx.automationConditionState.findUniqueOrThrow({ where }));
  });
}

interface ChangeRow {
  runId: string;
  shortId: string;
  at: Date;
  status: string;
  previousStatus: string | null;
  told: string | null;
  toldPeople: boolean;
  facts: unknown;
  reason: string | null;
}

/** Lists the latest runs in which something was told or the state changed. */
export async function listConditionChanges(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<ConditionChangeList> {
  await getAutomationRow(deps.db.prisma, caller, id);
  const { rows } = await deps.db.pool.query<ChangeRow>({
    name: "list_condition_changes",
    text: `
      SELECT j.run_id AS "runId", r.short_id AS "shortId", j.at, j.status::text, j.previous_status::text AS "previousStatus",
        j.told::text, j.told_people AS "toldPeople", j.facts, j.reason
      FROM (
        SELECT * FROM automation_condition_judgements
        WHERE automation_id = $1 AND (told IS NOT NULL OR status IS DISTINCT FROM previous_status)
        ORDER BY automation_id, at DESC, run_id DESC LIMIT ${maxConditionChanges}) AS j
        JOIN automation_runs r ON r.id = j.run_id
      ORDER BY j.at DESC, j.run_id DESC`,
    values: [id],
  });
  return {
    items: rows.map(({ runId, shortId, at, status, previousStatus, told, toldPeople, facts, reason }) => ({
      ...{ runId, shortId, chatUrl: chatUrl(deps, { shortId }), at: at.toISOString(), toldPeople, reason },
      status: ConditionStatus.parse(status),
      previousStatus: ConditionStatus.nullable().parse(previousStatus),
      told: ConditionTold.nullable().parse(told),
      facts: z.array(ToldFact).parse(facts),
    })),
  };
}
