import { inTransaction, onPool, type RunStatement, type Tx } from "@querybell/db";
import { AppError, type AutomationAgent, maxQueuedRuns, newId } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { newShortId } from "../../organizations/permalinks.ts";

export interface NewRun {
  automationId: string;
  organizationId: string;
  triggerId: string;
  scheduledFor: Date | null;
}

export interface InsertedRun extends NewRun {
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
export const insertAutomationRunIn = (
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  run: NewRun,
): Promise<Inserted> => callInsert(inTransaction(tx), clock, run);

async function callInsert(runStatement: RunStatement, clock: Deps["clock"], run: NewRun): Promise<Inserted> {
  const [id, shortId, createdAt] = [newId(clock), newShortId(), clock.now()];
  const [row] = await runStatement<InsertRow>({
    name: "insert_automation_run",
    text: `
      SELECT outcome, automation_name AS "automationName", run_agent AS agent, is_ready AS "isReady"
      FROM insert_automation_run($1::uuid, $2::uuid, $3::uuid, $4, $5::uuid, $6, $7::timestamptz, $8::timestamptz,
        $9::int)`,
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
    ],
  });
  switch (row?.outcome) {
    case "created": {
      const { automationName, agent, isReady } = row;
      const readyAt = isReady ? createdAt : null;
      return { kind: "created", run: { ...run, id, shortId, automationName, agent, createdAt, readyAt } };
    }
    case "paused":
      return { kind: "paused", why: "This automation is paused. Resume it, then run it." };
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

export const automationNotFound = () =>
  new AppError("not_found", "There is no such automation in this organization.");
