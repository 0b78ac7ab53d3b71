import type { Clock } from "@querybell/domain";
import { openProcess, requireReadiness } from "@querybell/runtime";
import { readWorkerSettings } from "./env.ts";
import { startWorker } from "./worker.ts";

/** Starts a worker with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startWorkerProcess(clock: Clock): Promise<{ stop(): Promise<void> }> {
  const settings = readWorkerSettings();
  const { deps, logger, close } = await openProcess({
    app: "worker",
    settings,
    clock,
    engineHosts: settings.WORKER_RUN_CONCURRENCY,
    keepsSpareHost: true,
  });
  await requireReadiness(deps);
  const worker = await startWorker({ deps, logger, settings });
  return {
    async stop() {
      await worker.stop();
      await close();
    },
  };
}
