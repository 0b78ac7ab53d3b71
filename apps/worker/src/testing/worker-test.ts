import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runTest } from "@querybell/core/testing";
import { systemClock } from "@querybell/domain";
import { hostPids } from "@querybell/engine-hosts/testing/host-processes";
import { pino } from "pino";
import { type WorkerSettings, WorkerSettings as WorkerSettingsSchema } from "../env.ts";
import { startWorker } from "../worker.ts";

const entry = fileURLToPath(new URL("../main.ts", import.meta.url));

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
    const processes: Awaited<ReturnType<typeof spawnWorker>>[] = [];
    onCleanup(async () => void (await Promise.all(processes.map((started) => started.kill()))));
    return async () => {
      const started = await spawnWorker(settingsFor());
      processes.push(started);
      return started;
    };
  });

/** Starts a worker as a separate process. */
async function spawnWorker(settings: WorkerSettings) {
  const { NODE_COMPILE_CACHE } = process.env;
  const environment = Object.entries({ ...settings, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }).map(
    ([name, value]) => [name, String(value)],
  );
  const child = spawn(process.execPath, [entry], {
    env: Object.fromEntries(environment),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  await Promise.race([once(child, "message"), exited.then(() => Promise.reject(new Error("did not start")))]);
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    await exited;
  };
  return { kill, engineHosts: () => hostPids(child.pid) };
}
