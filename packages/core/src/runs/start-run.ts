import { inTransaction, onPool, type Prisma, type RunStatement, type Tx } from "@querybell/db";
import { type Caller, newId, type RunStatus } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** A run to start, of a version of a query. */
interface RunToStart extends PreparedRun {
  query: { id: string; version: number };
  triggerId: string;
}

/** A run that only one person sees. */
interface TrialToStart {
  trialBy?: string;
}

/** What is shown of a run that was just started. */
export interface StartedRun {
  id: string;
  queryId: string;
  status: RunStatus;
  triggerId: string;
  parameterValues: unknown;
  renderedSql: string;
  createdAt: Date;
}

export interface RunStart {
  /** Cancelling: a run with equal values is being cancelled. It must end before another can start. */
  kind: "started" | "cancelling";
  run: StartedRun;
}

interface StartRow extends StartedRun {
  outcome: "created" | "joined" | "cancelling" | "changed";
}

/**
 * Creates a run, or joins the unfinished run with equal values. Undefined when the query is deleted or has another
 * version by now.
 */
export async function createOrJoinRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  run: RunToStart,
): Promise<RunStart | undefined> {
  const row = await callJoin(onPool(db), { run, clock, isAlone: true });
  if (row.outcome === "created") db.notices.publish("querybell_run_waiting", [row.id]);
  return toRunStart(row);
}

/** The same in the transaction of the caller, which has locked the query. */
export async function createOrJoinRunIn(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  run: RunToStart,
): Promise<RunStart> {
  const start = toRunStart(await callJoin(inTransaction(tx), { run, clock, isAlone: false }));
  if (!start) throw new Error("The query was changed although it is locked.");
  return start;
}

const toRunStart = ({ outcome, ...run }: StartRow): RunStart | undefined =>
  outcome === "changed" ? undefined : { kind: outcome === "cancelling" ? "cancelling" : "started", run };

interface JoinCall extends Pick<Deps, "clock"> {
  run: RunToStart;
  /** Whether the call is its whole transaction. Otherwise a trigger wakes the workers. */
  isAlone: boolean;
}

async function callJoin(runStatement: RunStatement, { run, clock, isAlone }: JoinCall): Promise<StartRow> {
  const { renderedSql, ...statement } = run.compiled;
  const [row] = await runStatement<StartRow>({
    name: "join_query_run",
    text: `
      SELECT outcome, (run).id, (run).query_id AS "queryId", (run).status, (run).trigger_id AS "triggerId",
        (run).parameter_values AS "parameterValues", (run).rendered_sql AS "renderedSql",
        (run).created_at AS "createdAt"
      FROM join_query_run($1::uuid, $2::int, $3::uuid, $4, $5::jsonb, $6::jsonb, $7::bytea, $8, $9::jsonb,
        $10::timestamptz, $11::boolean, $12::jsonb, $13::int)`,
    values: [
      run.query.id,
      run.query.version,
      newId(clock),
      run.triggerId,
      JSON.stringify(run.parameterValues),
      JSON.stringify(run.parameterTypes),
      run.parameterValuesHash,
      renderedSql,
      JSON.stringify(statement),
      clock.now(),
      isAlone,
      run.systemValues && JSON.stringify(run.systemValues),
      run.rowRightsVersion,
    ],
  });
  if (!row) throw new Error("join_query_run returned nothing.");
  return row;
}

/** Creates a pending run, whatever else runs. Workers claim the row; a database trigger wakes them. */
export async function createRun(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  {
    query,
    triggerId,
    compiled,
    systemValues,
    ...values
  }: RunToStart & TrialToStart & { query: Prisma.QueryModel },
): Promise<Prisma.QueryRunModel> {
  const { renderedSql, ...statement } = compiled;
  return tx.queryRun.create({
    data: {
      id: newId(clock),
      organizationId: query.organizationId,
      queryId: query.id,
      queryVersion: query.version,
      triggerId,
      ...values,
      ...(systemValues && { systemValues }),
      renderedSql,
      statement,
      createdAt: clock.now(),
    },
  });
}

/** The `triggerId` of a run that a person or a key starts. */
export const triggerOf = ({ userId, seenBy, via }: Caller): string =>
  via.kind === "key" ? `key:${via.keyId}` : `user:${seenBy ?? userId}`;

/** The `triggerId` of the runs of a dashboard's refresh. */
export const triggerOfRefresh = (refreshId: string): string => `dashboard_refresh:${refreshId}`;

/** The `triggerId` of a run that an automation run starts. */
export const triggerOfAutomationRun = (runId: string): string => `automation_run:${runId}`;
