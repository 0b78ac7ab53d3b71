import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { jobs } from "@querybell/domain";
import type { TimeMachine } from "./disturbances.ts";

const dayMs = 24 * 3_600_000;
const jobsWithinMs = 120_000;

interface RetentionOptions {
  deps: Deps;
  time: TimeMachine;
}

/** What may be left of a table when everything in it is older than its retention period. */
const leftOver: Record<string, string> = {
  webhook_events: "0",
  webhook_deliveries: "0",
  webhook_attempts: "0",
  query_results: "0",
  row_versions: "0",
  notifications: "0",
  audit_entries: "0",
  sessions: "0",
  uploads: "0",
  // The last run and the last completed one of each stay; so do the query runs that a chat shows.
  automation_runs: "2 * (SELECT count(*) FROM automations)",
  query_runs: "2 * (SELECT count(*) FROM queries) + (SELECT count(query_run_id) FROM automation_steps)",
  upload_store_files: "(SELECT count(*) FROM organizations)",
};

/** Lets more time pass than anything is kept, runs the jobs that purge, and looks for what is still there. */
export async function findOverdue({ deps, time }: RetentionOptions): Promise<string[]> {
  const problems: string[] = [];
  for (const days of [31, 400]) {
    await time.jump(days * dayMs);
    problems.push(...(await runScheduledJobs(deps)));
  }
  for (const [table, allowed] of Object.entries(leftOver)) {
    const { rows } = await deps.db.pool.query<{ found: number; allowed: number }>(
      `SELECT (SELECT count(*) FROM ${table})::int AS found, (${allowed})::int AS allowed`,
    );
    const { found, allowed: most } = rows[0] ?? { found: 0, allowed: 0 };
    if (found > most)
      problems.push(`${table} has ${found} rows beyond their retention, at most ${most} may be left.`);
  }
  const folder = join(deps.deployment.dataFolder, "uploads");
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const kept = files.filter((file) => file.isFile());
  if (kept.length > 1) problems.push(`${kept.length} files of uploads are left instead of one.`);
  return problems;
}

/** The queue keeps the machine's time, so its hourly jobs are added by hand. */
async function runScheduledJobs({ db }: Deps): Promise<string[]> {
  const names = Object.entries(jobs).flatMap(([name, job]) => ("cron" in job ? [name] : []));
  for (const name of names) {
    await db.pool.query("SELECT graphile_worker.add_job($1, '{}'::json, max_attempts => 2)", [name]);
  }
  const deadline = performance.now() + jobsWithinMs;
  for (;;) {
    const { rows } = await db.pool.query<{ task: string; error: string | null }>(
      "SELECT task_identifier AS task, last_error AS error FROM graphile_worker.jobs",
    );
    const failed = rows.filter(({ error }) => error !== null);
    if (rows.length === 0) return [];
    if (failed.length > 0 || performance.now() > deadline) {
      return rows.map(
        ({ task, error }) => `The job ${task} has not ended: ${error ?? "it still waits or runs"}`,
      );
    }
    await delay(500);
  }
}
