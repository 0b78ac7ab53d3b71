import { createServer } from "@querybell/api/server";
import type { Deps } from "@querybell/core";
import { createRunningClock, dbTest } from "@querybell/core/testing";
import { freePort } from "@querybell/embedded-postgres";
import { createLogger } from "@querybell/runtime";
import { startWorker } from "@querybell/worker";
import { WorkerSettings } from "@querybell/worker/settings";
import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import { startKitReceiver } from "./kit-receiver.ts";
import { createVisits } from "./visits.ts";
import { createWindows } from "./windows.ts";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let launched: Promise<Browser> | undefined;

/** One browser for all files of a worker. A fixture alone would have one for each test that extends another. */
const launchBrowser = (executablePath: string): Promise<Browser> => {
  launched ??= chromium.launch({ executablePath, args: flags });
  return launched;
};

const silent = (name: string) => createLogger(name, "silent");

/** A worker that may send to loopback and polls often. */
export const startWalkWorker = (deps: Deps, settings: object) =>
  startWorker({
    deps,
    logger: silent("worker"),
    settings: WorkerSettings.parse({
      ...settings,
      NODE_ENV: "test",
      WORKER_PORT: 0,
      WEBHOOK_ALLOW_LOOPBACK: "1",
    }),
    pollEveryMs: 200,
  });

/**
 * A walk: an end-to-end test in a browser. It has the api with the built web app, a database for the test file and, for
 * tests that ask for one, a worker. All of them use one clock, which runs and can be advanced.
 */
export const walkTest = dbTest
  .extend("clock", { scope: "file" }, ({ databaseUrl }) => createRunningClock(databaseUrl))
  // Each visit signs in. The walks about signing in extend it with "real".
  .extend("passwordHashes", { scope: "file" }, (): "real" | "fast" => "fast")
  .extend("port", { scope: "file" }, () => freePort())
  .extend("publicUrl", { scope: "file" }, ({ port }) => `http://localhost:${port}`)
  .extend("api", { scope: "file" }, async ({ deps, port, publicUrl }, { onCleanup }) => {
    const server = await createServer({
      deps,
      logger: silent("api"),
      settings: {
        NODE_ENV: "test",
        METRICS_TOKEN: undefined,
        MAX_SUBSCRIPTIONS: 200,
        RATE_LIMIT_PER_MINUTE: 100_000,
        // Each visitor has another address, because sign-in is limited by address.
        TRUSTED_PROXIES: "127.0.0.1",
        WEB_FOLDER: inject("webFolder"),
      },
    });
    onCleanup(() => server.close());
    await server.listen({ host: "127.0.0.1", port });
    return { url: publicUrl };
  })
  .extend("worker", { scope: "file" }, async ({ deps, settings }, { onCleanup }) => {
    const worker = await startWalkWorker(deps, settings);
    onCleanup(() => worker.stop());
    return worker;
  })
  .extend("executablePath", { scope: "worker" }, () => inject("chromium"))
  .extend("browser", { scope: "worker" }, async ({ executablePath }, { onCleanup }) => {
    const browser = await launchBrowser(executablePath);
    onCleanup(() => browser.close());
    return browser;
  })
  .extend("windows", { scope: "file" }, ({ browser, api }, { onCleanup }) => {
    const windows = createWindows(browser, api);
    onCleanup(windows.close);
    return windows;
  })
  /** Opens a browser window: `visit({ as: owner, path: "/queries", phone: true })`. */
  .extend("visit", async ({ windows }, { onCleanup }) => {
    const visits = createVisits(windows);
    onCleanup(visits.end);
    return visits.visit;
  })
  /** A window without a session, with no page opened yet. */
  .extend("page", ({ visit }) => visit())
  /** A customer's server that verifies deliveries with the kit. */
  .extend("receiver", async ({ clock }, { onCleanup }) => {
    const receiver = await startKitReceiver(clock);
    onCleanup(receiver.stop);
    return receiver;
  });
