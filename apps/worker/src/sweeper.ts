import type { Deps } from "@querybell/core";
import { sweepAutomationRuns } from "@querybell/core/automations";
import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Ends runs that external agents have abandoned. Those of workers are claimed by other workers. */
export function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    const ended = await sweepAutomationRuns(deps);
    if (ended.length > 0) logger.warn({ ended }, "ended runs that no external agent brought to an end");
  };
  return repeat(sweep, {
    everyMs,
    onError: (error) => logger.error(error, "could not look for abandoned runs"),
  });
}
