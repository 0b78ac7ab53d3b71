import type { Clock } from "@querybell/domain";
import {
  chooseIsolation,
  closeDeps,
  createLogger,
  logIsolation,
  openDeps,
  rebaseAfterRestore,
  startTracing,
} from "@querybell/runtime";
import { engineSlots } from "./engine-slots.ts";
import { readApiSettings } from "./env.ts";
import { createServer } from "./server.ts";

/** Starts the api with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startApi(clock: Clock): Promise<{ stop(): Promise<void> }> {
  const settings = readApiSettings();
  const logger = createLogger("api", settings.LOG_LEVEL);
  const isolation = await chooseIsolation(settings);
  logIsolation(logger, isolation);
  const deps = openDeps({
    settings,
    clock,
    ...engineSlots,
    isolation,
    onError: (error) => logger.error(error),
    onWithheldReason: (reason) => logger.warn(reason, "An analytical database cannot be connected to."),
  });
  await rebaseAfterRestore(deps);
  const tracing = await startTracing(settings, "api");
  const server = await createServer({ deps, logger, settings });
  await server.listen({ host: settings.HOST, port: settings.PORT });
  return {
    async stop() {
      await server.close();
      await closeDeps(deps);
      await tracing.stop();
    },
  };
}
