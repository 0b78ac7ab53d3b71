import { type Deps, sweepRuns } from "@querybell/core";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Looks for runs that nobody executes any more, and wakes a worker up for each. */
export function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    const runs = await sweepRuns(deps);
    if (runs.length > 0) logger.warn({ runs }, "queued runs again that nobody executes");
  };
  return repeat(sweep, {
    everyMs,
    onError: (error) => logger.error(error, "could not look for abandoned runs"),
  });
}
