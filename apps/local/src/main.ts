// `npm start`
import { readLocalSettings } from "./env.ts";
import { runLauncher } from "./launcher.ts";
import { startService } from "./service.ts";
import type { AppsOptions, Launch } from "./start.ts";

await runLauncher(() => {
  const settings = readLocalSettings();
  const { PORT, WORKER_PORT, RECEIVER_PORT } = settings;
  const ports = { PORT, WORKER_PORT, RECEIVER_PORT };
  return { command: "npm start", settings, ports, apiPort: PORT, startApps } satisfies Launch;
});

/** If one of them ends, everything stops. */
async function startApps({ started, onStep, ...options }: AppsOptions) {
  const services = [];
  for (const name of ["api", "worker"]) {
    onStep(`Starting the ${name}`);
    services.push(started.adopt(await startService(name, options), ({ stop }) => stop()));
  }
  return { services };
}
