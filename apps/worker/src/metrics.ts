import { statfs } from "node:fs/promises";
import type { Deps } from "@querybell/core";
import { countWorkers, readBackupAges, readQueueState, readRunQueues } from "@querybell/core/jobs";
import { readOrganizationQueues } from "@querybell/core/operations";
import { maxListedOrganizations } from "@querybell/domain";
import { createProcessMetrics } from "@querybell/runtime/metrics";
import type { WorkerEvents } from "graphile-worker";
import { Counter, Gauge } from "prom-client";

/** Creates the metrics of jobs, runs and the worker process. */
export function createMetrics(deps: Deps, events: WorkerEvents) {
  const { registry, stop } = createProcessMetrics(deps);
  const registers = [registry];

  const ended = new Counter({
    name: "querybell_jobs_total",
    help: "Tries of jobs that ended, by task and result: success, error (will be tried again), failed (given up)",
    labelNames: ["task", "result"],
    registers,
  });
  const count = (result: string) => (event: { job: { task_identifier: string } }) =>
    ended.inc({ task: event.job.task_identifier, result });
  events
    .on("job:success", count("success"))
    .on("job:error", count("error"))
    .on("job:failed", count("failed"));

  const readQueue = singleFlight(() => readQueueState(deps));
  new Gauge({
    name: "querybell_oldest_due_job_seconds",
    help: "How long the job that waits longest could have run already",
    registers,
    async collect() {
      this.set((await readQueue()).oldestDueSeconds);
    },
  });
  new Gauge({
    name: "querybell_jobs",
    help: "Jobs in the queue, by state: due, scheduled, running, failed",
    labelNames: ["state"],
    registers,
    async collect() {
      const { oldestDueSeconds: _, ...states } = await readQueue();
      for (const [state, jobs] of Object.entries(states)) this.set({ state }, jobs);
    },
  });
  const readRuns = singleFlight(() => readRunQueues(deps));
  new Gauge({
    name: "querybell_oldest_waiting_run_seconds",
    help: "How long the run that waits longest has waited for a worker, by kind: query, automation",
    labelNames: ["kind"],
    registers,
    async collect() {
      for (const { kind, oldestWaitingSeconds } of await readRuns()) this.set({ kind }, oldestWaitingSeconds);
    },
  });
  new Gauge({
    name: "querybell_runs",
    help: "Unfinished runs that workers execute, by kind (query, automation) and state (waiting, running)",
    labelNames: ["kind", "state"],
    registers,
    async collect() {
      for (const { kind, waiting, running } of await readRuns()) {
        this.set({ kind, state: "waiting" }, waiting);
        this.set({ kind, state: "running" }, running);
      }
    },
  });
  const readOrganizations = singleFlight(() => readOrganizationQueues(deps));
  new Gauge({
    name: "querybell_organization_oldest_waiting_seconds",
    help: `How long the oldest run or delivery of an organization waits, by kind: the ${maxListedOrganizations} of each kind that wait longest`,
    labelNames: ["kind", "organization"],
    registers,
    async collect() {
      this.reset();
      const now = deps.clock.now().getTime();
      for (const [kind, queues] of Map.groupBy(await readOrganizations(), (queue) => queue.kind)) {
        for (const { slug, oldestAt } of queues.slice(0, maxListedOrganizations)) {
          if (oldestAt) this.set({ kind, organization: slug }, Math.max(0, now - oldestAt.getTime()) / 1000);
        }
      }
    },
  });
  const endedRuns = new Counter({
    name: "querybell_runs_ended_total",
    help: "Runs that this worker has ended, by kind (query, automation) and outcome: completed, or the code of the failure",
    labelNames: ["kind", "outcome"],
    registers,
  });
  new Gauge({
    name: "querybell_workers",
    help: "Workers of the whole installation with a recent heartbeat",
    registers,
    async collect() {
      this.set(await countWorkers(deps));
    },
  });
  new Gauge({
    name: "querybell_last_backup_age_seconds",
    help: "Time since the newest backup that the operator's command has made (step: created), or checked by a restore (step: checked)",
    labelNames: ["step"],
    registers,
    async collect() {
      this.reset();
      for (const [step, seconds] of Object.entries(await readBackupAges(deps))) {
        if (seconds !== null) this.set({ step }, seconds);
      }
    },
  });
  new Gauge({
    name: "querybell_data_folder_bytes",
    help: "Room on the disk of DUCKDB_FOLDER, by state: free, size",
    labelNames: ["state"],
    registers,
    async collect() {
      this.reset();
      // Created with the first file.
      const disk = await statfs(deps.deployment.dataFolder).catch(() => undefined);
      if (!disk) return;
      this.set({ state: "free" }, disk.bavail * disk.bsize);
      this.set({ state: "size" }, disk.blocks * disk.bsize);
    },
  });
  return {
    registry,
    onRunEnd: (kind: string, outcome: string) => endedRuns.inc({ kind, outcome }),
    stop,
  };
}

/** Concurrent calls share one execution, so a scrape of several gauges reads the database once. */
export function singleFlight<Result>(execute: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | undefined;
  return () => {
    inFlight ??= execute().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
}
