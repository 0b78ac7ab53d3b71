import { openDeps, SettingsError } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { readApiSettings } from "./env.ts";
import { createLogger } from "./logger.ts";
import { createServer } from "./server.ts";

try {
  await run();
} catch (error) {
  const known = error instanceof SettingsError;
  console.error(known ? error.message : error);
  process.exitCode = 1;
}

async function run() {
  const settings = readApiSettings();
  const logger = createLogger(settings);
  const deps = openDeps({
    databaseUrl: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    sealingKeys: settings.SEALING_KEYS,
    clock: systemClock,
    deployment: {
      publicUrl: settings.PUBLIC_URL,
      restCompatibility: settings.REST_COMPATIBILITY,
      sendsMail: settings.SMTP_URL !== undefined,
    },
    onError: (error) => logger.error(error),
  });
  const server = await createServer({ deps, logger, settings });

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= server
      .close()
      .then(() => deps.db.close())
      .finally(() => process.disconnect?.());
    return stopping;
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  // Started by another program (`npm start`): when that one is gone, so are we.
  process.on("disconnect", stop);

  await server.listen({ host: settings.HOST, port: settings.PORT });
  process.send?.({ kind: "listening" });
}
