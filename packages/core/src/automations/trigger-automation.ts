import { inTransaction, onPool, type RunStatement, type Tx } from "@querybell/db";
import {
  AppError,
  type AutomationAgent,
  type AutomationRun,
  type Caller,
  maxQueuedRuns,
  maxTrialSeconds,
  newId,
  type TriggerAutomation,
  type TryAutomation,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { newShortId } from "../organizations/permalinks.ts";
import { triggerOf } from "../runs/start-run.ts";
import { insertAutomationRow } from "./change-automation.ts";
import { checkAgent } from "./check-automation.ts";
import { automationNotFound, lockAutomation } from "./get-automation.ts";
import { getAutomationRun, toNewRun } from "./runs/get-automation-run.ts";

/** Creates a run that starts now, or queues it behind the unfinished one. */
export async function triggerAutomation(
  deps: Deps,
  caller: Caller,
  trigger: TriggerAutomation,
): Promise<AutomationRun> {
  const created = requireCreated(await insertAutomationRun(deps, toRun(caller, trigger)));
  return toNewRun(deps, created);
}

/** The same, but answers the run that the caller has started with this key before, if there is one. */
export async function triggerAutomationOnce(
  deps: Deps,
  caller: Caller,
  { idempotencyKey, ...trigger }: TriggerAutomation & { idempotencyKey: string },
): Promise<AutomationRun> {
  const run = toRun(caller, trigger);
  const { automationId, triggerId } = run;
  const id = await deps.db.transaction(async (tx) => {
    // Repeated requests that arrive together are answered one after the other.
    await lockAutomation(tx, caller, automationId);
    const before = await tx.automationRun.findFirst({ where: { automationId, triggerId, idempotencyKey } });
    if (before) return before.id;
    const created = requireCreated(await insertAutomationRunIn({ ...deps, tx }, run));
    await tx.automationRun.update({ where: { id: created.id }, data: { idempotencyKey } });
    return created.id;
  });
  return getAutomationRun(deps, caller, { id });
}

const toRun = (caller: Caller, { id: automationId, whilePaused }: TriggerAutomation): NewRun => ({
  whilePaused,
  automationId,
  organizationId: caller.organizationId,
  triggerId: triggerOf(caller),
  scheduledFor: null,
});

function requireCreated(inserted: Inserted): InsertedRun {
  if (inserted.kind === "busy") throw new AppError("automation_busy", inserted.why);
  if (inserted.kind === "paused") throw new AppError("automation_paused", inserted.why);
  return inserted.run;
}

/**
 * Runs an unsaved automation once, without an event and without notifications. The run belongs to a new
 * automation that is created as deleted, so that no list shows it and no other run waits for it.
 */
export async function tryAutomation(
  deps: Deps,
  caller: Caller,
  { id, ...content }: TryAutomation,
): Promise<AutomationRun> {
  await checkAgent(deps, caller, content.agent);
  const run = await deps.db.transaction(async (tx) => {
    // Trials that a person starts at the same moment are checked one after the other.
    await lockRow(tx, { table: "users", key: { id: caller.userId }, strength: "NO KEY UPDATE" });
    await checkTrial(tx, caller, id);
    const automation = await insertAutomationRow({ ...deps, tx }, caller, {
      ...content,
      timeLimitSeconds: Math.min(content.timeLimitSeconds, maxTrialSeconds),
      schedule: null,
      enabled: true,
      whenBusy: "refuse",
      subscribers: [],
      destinations: [],
      condition: null,
      recipients: null,
    });
    const { organizationId } = caller;
    const inserted = await insertAutomationRunIn(
      { ...deps, tx },
      { automationId: automation.id, organizationId, triggerId: triggerOf(caller), scheduledFor: null },
    );
    if (inserted.kind !== "created") throw new Error("A new automation did not take its first run.");
    await markAsTrial(tx, inserted.run, id);
    const deletedAt = deps.clock.now();
    await tx.automation.update({ where: { id: automation.id }, data: { deletedAt } });
    return inserted.run;
  });
  return { ...toNewRun(deps, run), isTrial: true };
}

async function checkTrial(tx: Tx, caller: Caller, id: string | undefined): Promise<void> {
  const { organizationId } = caller;
  if (id !== undefined) {
    const edited = await tx.automation.findFirst({ where: { id, organizationId, deletedAt: null } });
    if (!edited) throw automationNotFound();
  }
  const unfinished = await tx.automationRun.findFirst({
    where: {
      organizationId,
      triggerId: triggerOf(caller),
      isTrial: true,
      status: { in: ["pending", "running"] },
    },
  });
  if (!unfinished) return;
  throw new AppError("automation_busy", "A trial of yours is unfinished. Wait until it ends, or stop it.");
}

async function markAsTrial(tx: Tx, { id }: InsertedRun, comparedWith: string | undefined): Promise<void> {
  const extra = JSON.stringify(comparedWith === undefined ? {} : { comparedWith });
  await tx.$executeRaw`
    UPDATE automation_runs SET is_trial = true, brief = brief || ${extra}::jsonb WHERE id = ${id}::uuid`;
}

interface NewRun {
  automationId: string;
  organizationId: string;
  triggerId: string;
  scheduledFor: Date | null;
  /** Whether it may start while the automation is paused. Default: no. */
  whilePaused?: boolean | undefined;
}

export interface InsertedRun extends Omit<NewRun, "whilePaused"> {
  id: string;
  shortId: string;
  automationName: string;
  agent: AutomationAgent;
  createdAt: Date;
  /** Null while it is queued behind an unfinished run. */
  readyAt: Date | null;
}

type Inserted =
  | { kind: "created"; run: InsertedRun }
  | { kind: "busy"; why: string }
  | { kind: "paused"; why: string };

type InsertRow =
  | { outcome: "not_found" | "paused" | "unfinished" | "queue_full" }
  | { outcome: "created"; automationName: string; agent: AutomationAgent; isReady: boolean };

/** Inserts a run: ready to be claimed, or queued behind the unfinished run. */
export const insertAutomationRun = (
  { db, clock }: Pick<Deps, "db" | "clock">,
  run: NewRun,
): Promise<Inserted> => callInsert(onPool(db), clock, run);

/** The same in the transaction of the caller. */
const insertAutomationRunIn = (
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  run: NewRun,
): Promise<Inserted> => callInsert(inTransaction(tx), clock, run);

async function callInsert(
  runStatement: RunStatement,
  clock: Deps["clock"],
  { whilePaused = false, ...run }: NewRun,
): Promise<Inserted> {
  const [id, shortId, createdAt] = [newId(clock), newShortId(), clock.now()];
  const [row] = await runStatement<InsertRow>({
    name: "insert_automation_run",
    text: `
      SELECT outcome, automation_name AS "automationName", run_agent AS agent, is_ready AS "isReady"
      FROM insert_automation_run($1::uuid, $2::uuid, $3::uuid, $4, $5::uuid, $6, $7::timestamptz, $8::timestamptz,
        $9::int, $10)`,
    values: [
      run.automationId,
      run.organizationId,
      id,
      shortId,
      newId(clock),
      run.triggerId,
      run.scheduledFor,
      createdAt,
      maxQueuedRuns,
      whilePaused,
    ],
  });
  switch (row?.outcome) {
    case "created": {
      const { automationName, agent, isReady } = row;
      const readyAt = isReady ? createdAt : null;
      return { kind: "created", run: { ...run, id, shortId, automationName, agent, createdAt, readyAt } };
    }
    case "paused":
      return {
        kind: "paused",
        why: "This automation is paused. Resume it, or run it once although it is paused.",
      };
    case "unfinished":
      return { kind: "busy", why: "A run of this automation is unfinished. Wait until it ends, or stop it." };
    case "queue_full":
      return {
        kind: "busy",
        why: `${maxQueuedRuns} runs of this automation are waiting already. Wait until one has ended, or stop some.`,
      };
    default:
      throw automationNotFound();
  }
}
