import { type Deps, sweepAutomationRuns, sweepRuns } from "@querybell/core";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Looks for runs of queries and automations that nobody executes any more, and wakes a worker up for each. */
export function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    const runs = await sweepRuns(deps);
    if (runs.length > 0) logger.warn({ runs }, "queued runs again that nobody executes");
    const { queued, ended } = await sweepAutomationRuns(deps);
    if (queued.length > 0) logger.warn({ queued }, "queued runs of automations that nobody executes");
    if (ended.length > 0) logger.warn({ ended }, "ended runs that no external agent brought to an end");
  };
  return repeat(sweep, {
    everyMs,
    onError: (error) => logger.error(error, "could not look for abandoned runs"),
  });
}
