import { readLocalSettings } from "./env.ts";
import { startService } from "./service.ts";
import type { AppsOptions, Launch } from "./start.ts";

/** What `npm start` starts, with the settings of this environment. Throws `SettingsError`. */
export function readNpmStart(environment: NodeJS.ProcessEnv): Launch {
  const settings = readLocalSettings(environment);
  const { PORT, WORKER_PORT, RECEIVER_PORT, PUBLIC_PORT } = settings;
  const ports = { PORT, WORKER_PORT, RECEIVER_PORT, PUBLIC_PORT };
  return { command: "npm start", settings, ports, apiPort: PORT, startApps };
}

/** If one of them ends, everything stops. */
async function startApps({ started, onStep, ...options }: AppsOptions) {
  const services = [];
  for (const name of ["api", "worker"]) {
    onStep(`Starting the ${name}`);
    services.push(started.adopt(await startService(name, options), ({ stop }) => stop()));
  }
  return { services };
}
