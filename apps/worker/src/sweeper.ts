import type { Deps } from "@querybell/core";
import { failAbandonedRuns } from "@querybell/core/automations";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Fails runs that external agents have abandoned. Abandoned runs of workers are claimed by other workers. */
export function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    const ended = await failAbandonedRuns(deps);
    if (ended.length > 0) logger.warn({ ended }, "failed runs that external agents had abandoned");
  };
  return repeat(sweep, {
    everyMs,
    onError: (error) => logger.error(error, "could not look for abandoned runs"),
  });
}
