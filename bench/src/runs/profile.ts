import type { Child } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";

interface Profiled {
  installation: Installation;
  api: Child;
  worker: Child;
  /** Runs a query once. */
  run(): Promise<string>;
}

const runs = 50;

/** Prints what one run costs, one at a time: statements, processor time, and the time in each state. */
export async function printProfile(
  name: string,
  { installation, api, worker, run }: Profiled,
): Promise<void> {
  const { pool } = installation.deps.db;
  await pool.query("SELECT pg_stat_statements_reset()");
  const before = { api: api.cpuMs(), worker: worker.cpuMs() };
  const ids: string[] = [];
  const calledAt: number[] = [];
  const endedAt: number[] = [];
  for (let index = 0; index < runs; index++) {
    calledAt.push(Date.now());
    ids.push(await run());
    endedAt.push(Date.now());
  }
  const [apiMs, workerMs] = [(api.cpuMs() - before.api) / runs, (worker.cpuMs() - before.worker) / runs];
  const { rows: statements } = await pool.query<{ calls: number; ms: number; query: string }>(
    `SELECT calls::float / ${runs} AS calls, total_exec_time / ${runs} AS ms, regexp_replace(query, '\\s+', ' ', 'g') AS query
     FROM pg_stat_statements WHERE query !~ 'pg_stat_statements' AND calls >= ${runs / 2} ORDER BY total_exec_time DESC`,
  );
  const { rows: phases } = await pool.query<{
    id: string;
    created: number;
    started: number;
    completed: number;
  }>(
    `SELECT id, extract(epoch FROM created_at) * 1000 AS created, extract(epoch FROM started_at) * 1000 AS started,
       extract(epoch FROM completed_at) * 1000 AS completed FROM query_runs WHERE id = ANY($1)`,
    [ids],
  );
  const byId = new Map(phases.map((row) => [row.id, row]));
  const unknown = { created: Number.NaN, started: Number.NaN, completed: Number.NaN };
  const mean = (of: (at: number, row: typeof unknown) => number) => {
    const ms = ids.reduce((sum, id, at) => sum + of(at, byId.get(id) ?? unknown), 0) / runs;
    if (!(ms >= 0)) throw new Error(`A phase of a run took ${ms} ms, which cannot be.`);
    return ms.toFixed(1);
  };
  const total = statements.reduce((sum, { calls }) => sum + calls, 0);
  const inDatabase = statements.reduce((sum, { ms }) => sum + ms, 0);
  console.log(
    `profile of ${name}: statements=${total.toFixed(1)} in_database_ms=${inDatabase.toFixed(1)} api_cpu_ms=${apiMs.toFixed(1)} worker_cpu_ms=${workerMs.toFixed(1)} ` +
      `called_to_created=${mean((at, { created }) => Number(created) - (calledAt[at] ?? Number.NaN))} created_to_started=${mean((_, { created, started }) => Number(started) - Number(created))} ` +
      `started_to_completed=${mean((_, { started, completed }) => Number(completed) - Number(started))} completed_to_seen=${mean((at, { completed }) => (endedAt[at] ?? Number.NaN) - Number(completed))}`,
  );
  for (const { calls, ms, query } of statements) {
    console.log(`  ${calls.toFixed(1)} x ${ms.toFixed(2)} ms  ${query.slice(0, 150)}`);
  }
}
