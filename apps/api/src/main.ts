import { closeDeps, createLogger, openDeps, rebaseAfterRestore, runUntilStopped } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { readApiSettings } from "./env.ts";
import { createServer } from "./server.ts";

await runUntilStopped(async () => {
  const settings = readApiSettings();
  const logger = createLogger("api", settings.LOG_LEVEL);
  const deps = openDeps({
    settings,
    clock: systemClock,
    engineHosts: 2,
    onError: (error) => logger.error(error),
  });
  await rebaseAfterRestore(deps);
  const server = await createServer({ deps, logger, settings });
  await server.listen({ host: settings.HOST, port: settings.PORT });
  return {
    async stop() {
      await server.close();
      await closeDeps(deps);
    },
  };
});
