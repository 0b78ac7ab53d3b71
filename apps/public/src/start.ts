import { SettingsError } from "@querybell/domain";
import { createLogger, type RunningProcess, startProcessHeartbeat } from "@querybell/process";
import { readPublicSettings } from "./env.ts";
import { openPageStore } from "./page-store.ts";
import { createPublicServer } from "./server.ts";

/** Starts the process that serves public pages, with the settings of the environment. */
export async function startPublic(): Promise<RunningProcess> {
  const settings = readPublicSettings();
  const logger = createLogger("public", settings.LOG_LEVEL);
  const store = openPageStore({
    url: settings.PUBLIC_DATABASE_URL,
    poolSize: settings.PUBLIC_DATABASE_POOL_SIZE,
    onError: (error) => logger.error(error),
  });
  // A database that is down or not migrated yet is waited for. A role that may do too much never becomes right.
  const excess = await store.findExcessRight().catch(() => undefined);
  if (excess !== undefined) throw new SettingsError(excess);
  const server = createPublicServer({ store, logger, baseUrl: settings.PUBLIC_PAGES_URL });
  await server.listen(settings.PUBLIC_PORT, settings.PUBLIC_HOST);
  const heartbeat = startProcessHeartbeat({
    write: (identity) => store.recordProcess(identity, false),
    remove: (identity) => store.recordProcess(identity, true),
    onError: (error) => logger.warn(error, "could not write that this process runs; trying again"),
  });
  return {
    async stop() {
      await server.close();
      await heartbeat.stop();
      await store.close();
    },
  };
}
