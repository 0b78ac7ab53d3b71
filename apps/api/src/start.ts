import { setTimeout as delay } from "node:timers/promises";
import { loadWebAuthn } from "@querybell/core/identity";
import { loadOidcClient } from "@querybell/core/single-sign-on";
import type { Clock } from "@querybell/domain";
import { openProcess, type RunningProcess } from "@querybell/runtime";
import { readApiSettings } from "./env.ts";
import { requireWebApp } from "./http/web-app.ts";
import { createServer } from "./server.ts";

/** Starts the api with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startApi(clock: Clock): Promise<RunningProcess> {
  const settings = readApiSettings();
  requireWebApp(settings.WEB_FOLDER);
  const { deps, logger, close } = await openProcess({ app: "api", settings, clock, ...engineSlots });
  const stopping = new AbortController();
  // Loading them takes some 100 milliseconds, which would block other requests.
  await Promise.all([loadWebAuthn(), loadOidcClient()]);
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

/**
 * The api's engine hosts test connections and list tables while a user waits. One organization gets two of the four
 * slots, so that its unresponsive servers leave the others free.
 */
export const engineSlots = {
  engineHosts: 4,
  engineLimits: {
    maxPerOrganization: 2,
    maxWaitingPerOrganization: 10,
    maxWaiting: 100,
    waitMs: 20_000,
  },
};
