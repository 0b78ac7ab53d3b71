import type { Deps } from "@querybell/core";
import { closeDeps, type DepsOptions, openDeps } from "@querybell/core/open-deps";
import { createLogger } from "@querybell/process";
import type { Logger } from "pino";
import { chooseIsolation, logIsolation } from "./engine-isolation.ts";
import { rebaseAfterRestore } from "./rebase-after-restore.ts";
import type { SharedSettings } from "./settings.ts";
import { startTracing } from "./start-tracing.ts";

interface ProcessOptions
  extends Pick<DepsOptions, "clock" | "engineHosts" | "engineLimits" | "keepsSpareHost"> {
  app: "api" | "worker";
  settings: SharedSettings;
}

interface OpenProcess {
  deps: Deps;
  logger: Logger;
  close(): Promise<void>;
}

/** Opens what an api and a worker both need before they serve: logger, isolation, dependencies, traces. */
export async function openProcess({ app, settings, ...options }: ProcessOptions): Promise<OpenProcess> {
  const logger = createLogger(app, settings.LOG_LEVEL);
  const isolation = await chooseIsolation(settings);
  logIsolation(logger, isolation);
  const deps = openDeps({
    ...options,
    settings,
    isolation,
    onError: (error) => logger.error(error),
    onWithheldReason: (reason) => logger.warn(reason, "An analytical database cannot be connected to."),
  });
  await rebaseAfterRestore(deps);
  await deps.db.warmUp();
  const tracing = await startTracing(settings, app);
  return {
    deps,
    logger,
    async close() {
      await closeDeps(deps);
      await tracing.stop();
    },
  };
}
