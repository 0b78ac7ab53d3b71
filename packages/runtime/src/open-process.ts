import { statfs } from "node:fs/promises";
import type { Deps } from "@querybell/core";
import { closeDeps, type DepsOptions, openDeps } from "@querybell/core/open-deps";
import { recordProcess, removeProcess } from "@querybell/core/operations";
import { createLogger, startProcessHeartbeat } from "@querybell/process";
import type { Logger } from "pino";
import { chooseIsolation, logIsolation } from "./engine-isolation.ts";
import { rebaseAfterRestore } from "./rebase-after-restore.ts";
import { requireKeys } from "./require-keys.ts";
import { requireSessions } from "./require-sessions.ts";
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
  await requireSessions(deps);
  await requireKeys(deps, logger);
  await rebaseAfterRestore(deps);
  await deps.db.warmUp();
  const tracing = await startTracing(settings, app);
  const heartbeat = startProcessHeartbeat({
    write: async (identity) => {
      const disk = await readDisk(settings.DUCKDB_FOLDER);
      await recordProcess(deps, { ...identity, kind: app, disk });
    },
    remove: (identity) => removeProcess(deps, identity),
    onError: (error) => logger.warn(error, "could not write that this process runs; trying again"),
  });
  return {
    deps,
    logger,
    async close() {
      await heartbeat.stop();
      await closeDeps(deps);
      await tracing.stop();
    },
  };
}

/** Room on the disk of a folder. Null if there is no such folder: it is created with its first file. */
async function readDisk(folder: string): Promise<{ freeBytes: number; sizeBytes: number } | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk && { freeBytes: disk.bavail * disk.bsize, sizeBytes: disk.blocks * disk.bsize };
}
