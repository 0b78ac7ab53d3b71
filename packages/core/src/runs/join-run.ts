import { inTransaction, onPool, type RunStatement, type Tx } from "@querybell/db";
import { newId, type RunStatus } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** A run to start, of a version of a query. */
export interface RunToJoin extends PreparedRun {
  query: { id: string; version: number };
  triggerId: string;
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

export interface JoinedRun {
  /** Cancelling: a run with equal values is being cancelled. It must end before another can start. */
  kind: "joined" | "cancelling";
  run: StartedRun;
}

interface JoinRow extends StartedRun {
  outcome: "created" | "joined" | "cancelling" | "changed";
}

/**
 * Finds the unfinished run with these values, or inserts a new one. Undefined when the query is deleted or has another
 * version by now.
 */
export async function joinRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  run: RunToJoin,
): Promise<JoinedRun | undefined> {
  const row = await callJoin(onPool(db), { run, clock, isAlone: true });
  if (row.outcome === "created") db.notices.publish("querybell_run_waiting", [row.id]);
  return toJoinedRun(row);
}

/** The same in the transaction of the caller, which has locked the query. */
export async function joinRunIn(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  run: RunToJoin,
): Promise<JoinedRun> {
  const joined = toJoinedRun(await callJoin(inTransaction(tx), { run, clock, isAlone: false }));
  if (!joined) throw new Error("The query was changed although it is locked.");
  return joined;
}

const toJoinedRun = ({ outcome, ...run }: JoinRow): JoinedRun | undefined =>
  outcome === "changed" ? undefined : { kind: outcome === "cancelling" ? "cancelling" : "joined", run };

interface JoinCall extends Pick<Deps, "clock"> {
  run: RunToJoin;
  /** Whether the call is its whole transaction. Otherwise a trigger wakes the workers. */
  isAlone: boolean;
}

async function callJoin(runStatement: RunStatement, { run, clock, isAlone }: JoinCall): Promise<JoinRow> {
  const { renderedSql, ...statement } = run.compiled;
  const [row] = await runStatement<JoinRow>({
    name: "join_query_run",
    text: `
      SELECT outcome, (run).id, (run).query_id AS "queryId", (run).status, (run).trigger_id AS "triggerId",
        (run).parameter_values AS "parameterValues", (run).rendered_sql AS "renderedSql",
        (run).created_at AS "createdAt"
      FROM join_query_run($1::uuid, $2::int, $3::uuid, $4, $5::jsonb, $6::jsonb, $7::bytea, $8, $9::jsonb,
        $10::timestamptz, $11::boolean)`,
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
    ],
  });
  if (!row) throw new Error("join_query_run returned nothing.");
  return row;
}
