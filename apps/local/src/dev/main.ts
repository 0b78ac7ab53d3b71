// `pnpm dev`; with --inspect, debuggers can attach.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findProgramFiles } from "@querybell/engine-hosts";
import { type DevSettings, readDevSettings, repository } from "../env.ts";
import { runLauncher } from "../launcher.ts";
import { entryOf } from "../service.ts";
import type { AppsOptions, Launch } from "../start.ts";
import { StartError } from "../start-error.ts";
import { FileWatch } from "./file-watch.ts";
import { type AppState, runWatchedApp } from "./watched-app.ts";

/** As in .vscode/launch.json. */
const inspectPorts = { api: 9230, worker: 9231 };
const inspectNote = `Debuggers attach on 127.0.0.1: to the api on port ${inspectPorts.api}, to the worker on port ${inspectPorts.worker}, and to an
engine host on port 9229 after kill -USR1 <its process id>.`;

await runLauncher(() => {
  const isInspected = readArguments(process.argv.slice(2));
  const settings = readDevSettings();
  const { PORT, WORKER_PORT, RECEIVER_PORT, API_PORT, PUBLIC_PORT } = settings;
  return {
    command: "pnpm dev",
    // A debugger of an engine host needs a port, which an isolated host cannot open.
    settings: isInspected ? { ...settings, ENGINE_ISOLATION: "none" } : settings,
    ports: { PORT, WORKER_PORT, RECEIVER_PORT, API_PORT, PUBLIC_PORT },
    apiPort: API_PORT,
    startApps: (options) => startApps(options, settings, isInspected),
  } satisfies Launch;
});

/** Whether debuggers can attach. */
function readArguments(given: string[]): boolean {
  const unknown = given.find((argument) => argument !== "--inspect");
  if (unknown !== undefined) throw new StartError(`pnpm dev takes --inspect, and not ${unknown}.`);
  return given.length > 0;
}

/** An app that ends starts again when a file changes, so its end does not end the others. */
async function startApps(
  { started, onStep, logFolder, settings }: AppsOptions,
  { PORT, API_PORT, DATA_FOLDER }: DevSettings,
  isInspected: boolean,
) {
  const webFolder = join(DATA_FOLDER, "web");
  await mkdir(webFolder, { recursive: true });
  const pages = ["index.html", "pages.json"].map((file) => join(webFolder, file));
  // Engine hosts load files that the process that starts them does not load.
  const sourceFolders = findProgramFiles()
    .filter((path) => path.startsWith(join(repository, "packages")))
    .map((folder) => join(folder, "src"));

  onStep("Starting Vite");
  let apiState: AppState = { kind: "starting" };
  const web = runWatchedApp({
    name: "web",
    args: [join(repository, "apps/web/dev/main.ts")],
    logFolder,
    settings: {
      ...settings,
      PORT: String(PORT),
      API_PORT: String(API_PORT),
      PAGES_FOLDER: webFolder,
      CACHE_FOLDER: join(DATA_FOLDER, "vite"),
    },
    watch: new FileWatch({}),
    onState: ({ kind }) => kind === "running" && web.send(apiState),
  });
  started.defer(web.stop);
  // The api needs the page and the list of pages. It restarts if those of the last start are out of date.
  if (!pages.every((file) => existsSync(file))) await web.started;

  onStep("Starting the api and the worker");
  const apps = (["api", "worker"] as const).map((name) =>
    runWatchedApp({
      name,
      args: [...(isInspected ? [`--inspect=127.0.0.1:${inspectPorts[name]}`] : []), entryOf(name)],
      logFolder,
      settings: { ...settings, WEB_FOLDER: webFolder },
      watch: new FileWatch({ files: name === "api" ? pages : [], sourceFolders }),
      onState(state) {
        if (name !== "api") return;
        apiState = state;
        web.send(state);
      },
    }),
  );
  for (const { stop } of apps) started.defer(stop);
  await Promise.all([web, ...apps].map((app) => app.started));
  return { services: [], note: isInspected ? inspectNote : undefined };
}
