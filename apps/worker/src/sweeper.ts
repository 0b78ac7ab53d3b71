import { type Deps, sweepRuns } from "@querybell/core";
import type { Logger } from "pino";

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Looks for runs that nobody executes any more, and wakes a worker up for each. */
export function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    try {
      const runs = await sweepRuns(deps);
      if (runs.length > 0) logger.warn({ runs }, "queued runs again that nobody executes");
    } catch (error) {
      logger.error(error, "could not look for abandoned runs");
    }
  };
  let sweeping = sweep();
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
