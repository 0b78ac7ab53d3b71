import type { Clock } from "@querybell/domain";
import {
  chooseIsolation,
  closeDeps,
  createLogger,
  logIsolation,
  openDeps,
  rebaseAfterRestore,
  startTracing,
} from "@querybell/runtime";
import { readWorkerSettings } from "./env.ts";
import { startWorker } from "./worker.ts";

/** Starts a worker with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startWorkerProcess(clock: Clock): Promise<{ stop(): Promise<void> }> {
  const settings = readWorkerSettings();
  const logger = createLogger("worker", settings.LOG_LEVEL);
  const isolation = await chooseIsolation(settings);
  logIsolation(logger, isolation);
  const deps = openDeps({
    settings,
    clock,
    engineHosts: settings.WORKER_RUN_CONCURRENCY,
    keepsSpareHost: true,
    isolation,
    onError: (error) => logger.error(error),
    onWithheldReason: (reason) => logger.warn(reason, "An analytical database cannot be connected to."),
  });
  await rebaseAfterRestore(deps);
  const tracing = await startTracing(settings, "worker");
  const worker = await startWorker({ deps, logger, settings });
  return {
    async stop() {
      await worker.stop();
      await closeDeps(deps);
      await tracing.stop();
    },
  };
}
