import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { countLockedJobs, recordHeartbeats, releaseJobsOfDeadWorkers } from "@querybell/core/jobs";
import type { WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface HeartbeatOptions {
  deps: Deps;
  logger: Logger;
  events: WorkerEvents;
  beatEveryMs: number;
  silentForSeconds: number;
}

const jobEndTimeoutMs = 5_000;
const pollMs = 20;

/** Writes this worker's heartbeat, and releases the jobs of workers whose heartbeat has stopped. */
export function startHeartbeat({ deps, logger, events, beatEveryMs, silentForSeconds }: HeartbeatOptions) {
  // The queue locks a job under the id of the worker pool, not of the worker that performs it.
  const workerIds: string[] = [];
  events.on("pool:create", ({ workerPool }) => workerIds.push(workerPool.id));

  const beatOnce = async () => {
    await recordHeartbeats(deps, workerIds);
    const released = await releaseJobsOfDeadWorkers(deps, { silentForSeconds });
    if (released.length > 0) logger.warn({ released }, "released the jobs of dead workers");
  };
  const beating = repeat(beatOnce, {
    everyMs: beatEveryMs,
    onError: (error) => logger.error(error, "could not write the heartbeat"),
  });
  return {
    stop: beating.stop,
    /**
     * Waits until the queue has recorded the end of every job. The queue itself does not wait for that when it
     * stops, and a job without a recorded end would run again.
     */
    async waitForJobEnds(): Promise<void> {
      const deadline = performance.now() + jobEndTimeoutMs;
      try {
        while (performance.now() < deadline && (await countLockedJobs(deps, workerIds)) > 0) {
          await delay(pollMs);
        }
      } catch (error) {
        logger.error(error, "could not check whether every job end was recorded");
      }
    },
  };
}
