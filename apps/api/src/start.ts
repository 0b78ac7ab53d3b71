import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@querybell/domain";
import { openProcess, type RunningProcess } from "@querybell/runtime";
import { engineSlots } from "./engine-slots.ts";
import { readApiSettings } from "./env.ts";
import { requireWebApp } from "./http/web-app.ts";
import { createServer } from "./server.ts";

/** Starts the api with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startApi(clock: Clock): Promise<RunningProcess> {
  const settings = readApiSettings();
  requireWebApp(settings.WEB_FOLDER);
  const { deps, logger, close } = await openProcess({ app: "api", settings, clock, ...engineSlots });
  const stopping = new AbortController();
  const server = await createServer({ deps, logger, settings, stopping: stopping.signal });
  await server.listen({ host: settings.HOST, port: settings.PORT });
  return {
    async announceStop() {
      stopping.abort();
      await delay(settings.SHUTDOWN_DELAY_MS);
    },
    async stop() {
      stopping.abort();
      await server.close();
      await close();
    },
  };
}
