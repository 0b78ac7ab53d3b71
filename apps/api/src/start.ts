import type { Clock } from "@querybell/domain";
import { openProcess } from "@querybell/runtime";
import { engineSlots } from "./engine-slots.ts";
import { readApiSettings } from "./env.ts";
import { createServer } from "./server.ts";

/** Starts the api with the settings of the environment. The soak test gives it a clock that jumps. */
export async function startApi(clock: Clock): Promise<{ stop(): Promise<void> }> {
  const settings = readApiSettings();
  const { deps, logger, close } = await openProcess({ app: "api", settings, clock, ...engineSlots });
  const server = await createServer({ deps, logger, settings });
  await server.listen({ host: settings.HOST, port: settings.PORT });
  return {
    async stop() {
      await server.close();
      await close();
    },
  };
}
