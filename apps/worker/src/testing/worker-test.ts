import { runTest } from "@querybell/core/testing";
import { systemClock } from "@querybell/domain";
import { pino } from "pino";
import { type WorkerSettings, WorkerSettings as WorkerSettingsSchema } from "../env.ts";
import { startWorker } from "../worker.ts";
import { startWorkerProcess } from "./worker-process.ts";

/** A test with workers in real processes. */
export const workerTest = runTest
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
        // Trying the methods at each start takes longer than the rest of it.
        ENGINE_ISOLATION: "none",
        WORKER_PORT: 0,
        ...overrides,
      });
  })
  /** Starts a worker in this process, with the clock of the others: for tests that do not kill it. */
  .extend("startHere", async ({ deps, settingsFor }, { onCleanup }) => {
    const workers: Awaited<ReturnType<typeof startWorker>>[] = [];
    onCleanup(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
    const logger = pino({ level: "silent" });
    return async () => {
      const options = { deps: { ...deps, clock: systemClock }, settings: settingsFor(), pollEveryMs: 200 };
      workers.push(await startWorker({ ...options, logger }));
    };
  })
  .extend("startProcess", async ({ settingsFor }, { onCleanup }) => {
    const processes: Awaited<ReturnType<typeof startWorkerProcess>>[] = [];
    onCleanup(async () => void (await Promise.all(processes.map((started) => started.kill()))));
    return async () => {
      const started = await startWorkerProcess(settingsFor());
      processes.push(started);
      return started;
    };
  });
