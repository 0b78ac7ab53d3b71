import { watchRun } from "@querybell/core/runs";
import type { Caller, RunDetail } from "@querybell/domain";
import { dbTest } from "@querybell/testkit";
import { pino } from "pino";
import { type WorkerSettings, WorkerSettings as WorkerSettingsSchema } from "../env.ts";
import { startWorker } from "../worker.ts";
import { startWorkerProcess } from "./worker-process.ts";

/** A test with workers: in this process, or in a real process of their own. */
export const workerTest = dbTest
  .extend("settingsFor", { scope: "file" }, ({ databaseUrl, sealingKeys, duckdbFolder }) => {
    return (overrides: Partial<WorkerSettings> = {}): WorkerSettings =>
      WorkerSettingsSchema.parse({
        NODE_ENV: "test",
        DATABASE_URL: databaseUrl,
        SEALING_KEYS: sealingKeys,
        PUBLIC_URL: "http://localhost:4000",
        DUCKDB_FOLDER: duckdbFolder,
        ANALYTICS_NETWORKS: "127.0.0.0/8",
        MODEL_NETWORKS: "127.0.0.0/8",
        WORKER_PORT: 0,
        ...overrides,
      });
  })
  .extend("startProcess", async ({ settingsFor }, { onCleanup }) => {
    const processes: Awaited<ReturnType<typeof startWorkerProcess>>[] = [];
    onCleanup(async () => void (await Promise.all(processes.map((started) => started.kill()))));
    return async () => {
      const started = await startWorkerProcess(settingsFor());
      processes.push(started);
      return started;
    };
  })
  /** Makes queries on Postgres wait until the test opens it. */
  .extend("gate", async ({ deps }, { onCleanup }) => {
    const holder = await deps.db.pool.connect();
    onCleanup(() => holder.release(true));
    await holder.query("SELECT pg_advisory_lock(1)");
    return {
      passing: "pg_advisory_xact_lock_shared(1)::text",
      open: () => holder.query("SELECT pg_advisory_unlock(1)"),
    };
  })
  /** The run's states as a watcher sees them, until one matches or the run has ended. */
  .extend("watch", { scope: "file" }, ({ deps }) => {
    return async (caller: Caller, id: string, wanted: (run: RunDetail) => boolean = () => false) => {
      const states: RunDetail[] = [];
      const signal = new AbortController().signal;
      for await (const state of watchRun(deps, caller, { id, signal })) {
        states.push(state);
        if (wanted(state)) break;
      }
      return states;
    };
  })
  .extend("end", { scope: "file" }, ({ watch }) => {
    return async (caller: Caller, id: string): Promise<RunDetail> => {
      const last = (await watch(caller, id)).at(-1);
      if (!last) throw new Error("The run was never seen.");
      return last;
    };
  });

/** The same with a worker that runs during all tests of the file. */
export const withWorkerTest = workerTest.extend(
  "worker",
  { scope: "file", auto: true },
  async ({ deps, settingsFor }, { onCleanup }) => {
    const logger = pino({ level: "silent" });
    const worker = await startWorker({ deps, logger, settings: settingsFor(), pollEveryMs: 200 });
    onCleanup(() => worker.stop());
    return worker;
  },
);
