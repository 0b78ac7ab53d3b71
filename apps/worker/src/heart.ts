import { beat, type Deps, releaseJobsOfDeadWorkers } from "@querybell/core";
import type { WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface HeartOptions {
  deps: Deps;
  logger: Logger;
  events: WorkerEvents;
  beatEveryMs: number;
  silentForSeconds: number;
}

/** Tells the others that this process lives, and takes care of the jobs of those that no longer do. */
export function startHeart({ deps, logger, events, beatEveryMs, silentForSeconds }: HeartOptions) {
  const workerIds = new Set<string>();
  events.on("worker:create", ({ worker }) => workerIds.add(worker.workerId));
  events.on("worker:release", ({ worker }) => workerIds.delete(worker.workerId));

  const pulse = async () => {
    await beat(deps, [...workerIds]);
    const released = await releaseJobsOfDeadWorkers(deps, { silentForSeconds });
    if (released.length > 0) logger.warn({ released }, "gave back the jobs of workers that died");
  };
  return repeat(pulse, {
    everyMs: beatEveryMs,
    onError: (error) => logger.error(error, "could not tell that this worker lives"),
  });
}
