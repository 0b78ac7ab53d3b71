import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { beat, countLockedJobs, releaseJobsOfDeadWorkers } from "@querybell/core/jobs";
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

const settleWithinMs = 5_000;
const lookAgainMs = 20;

/** Tells the others that this process lives, and takes care of the jobs of those that no longer do. */
export function startHeart({ deps, logger, events, beatEveryMs, silentForSeconds }: HeartOptions) {
  // The queue locks jobs in the name of a pool of workers, not of the one that does the job.
  const workerIds: string[] = [];
  events.on("pool:create", ({ workerPool }) => workerIds.push(workerPool.id));

  const pulse = async () => {
    await beat(deps, workerIds);
    const released = await releaseJobsOfDeadWorkers(deps, { silentForSeconds });
    if (released.length > 0) logger.warn({ released }, "gave back the jobs of workers that died");
  };
  const beating = repeat(pulse, {
    everyMs: beatEveryMs,
    onError: (error) => logger.error(error, "could not tell that this worker lives"),
  });
  return {
    stop: beating.stop,
    /**
     * To be awaited when the queue has stopped: it writes down how a job ended without waiting for that itself,
     * and a job of which it is not written would be done again.
     */
    async settle(): Promise<void> {
      const deadline = performance.now() + settleWithinMs;
      try {
        while (performance.now() < deadline && (await countLockedJobs(deps, workerIds)) > 0) {
          await delay(lookAgainMs);
        }
      } catch (error) {
        logger.error(error, "could not see whether the end of every job was written down");
      }
    },
  };
}
