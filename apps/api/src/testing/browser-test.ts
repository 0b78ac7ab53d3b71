import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { dbTest } from "@querybell/testkit";
import { chromium } from "playwright-core";
import { expect } from "vitest";
import { startApi } from "./api-test.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../../..", import.meta.url));

// Before any test and its time limit: the first time, a browser has to be fetched.
const { stdout: path } = await run(process.execPath, [join(repository, "scripts/ensure-chromium.ts")]);

/** A test in a browser, against the whole server with the web app as it is built from the source. */
export const browserTest = dbTest
  .extend("webSource", { scope: "file" }, () => join(repository, "apps/web"))
  .extend("webFolder", { scope: "file" }, async ({ webSource }, { onCleanup }) => {
    await mkdir(join(repository, ".data"), { recursive: true });
    const folder = await mkdtemp(join(repository, ".data/web-for-tests-"));
    onCleanup(() => rm(folder, { recursive: true }));
    await run(process.execPath, ["node_modules/vite/bin/vite.js", "build", "--outDir", folder], {
      cwd: webSource,
      env: { ...process.env, NODE_ENV: "production" },
    });
    return folder;
  })
  .extend("listening", { scope: "file" }, async ({ deps, webFolder }, { onCleanup }) => {
    const { url, [Symbol.asyncDispose]: stop } = await startApi({
      deps,
      settings: { WEB_FOLDER: webFolder },
    });
    onCleanup(stop);
    return new URL(url).host;
  })
  .extend("browser", { scope: "file" }, async ({ deps, listening }, { onCleanup }) => {
    const { host } = new URL(deps.deployment.publicUrl);
    const browser = await chromium.launch({
      executablePath: path.trim(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        // The browser believes to be at the public address, as it is behind a proxy in production.
        `--host-resolver-rules=MAP ${host} ${listening}`,
      ],
    });
    onCleanup(() => browser.close());
    return browser;
  })
  .extend("addresses", { scope: "file" }, () => ({ used: 0 }))
  .extend("page", async ({ browser, deps, addresses }, { onCleanup }) => {
    const context = await browser.newContext({
      baseURL: deps.deployment.publicUrl,
      extraHTTPHeaders: { "x-forwarded-for": `192.0.2.${++addresses.used}` },
    });
    const page = await context.newPage();
    // What goes wrong inside the page fails its test: a script that throws, a breach of the security policy.
    const wrong: string[] = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => {
      const refusedCall = message.text().startsWith("Failed to load resource");
      if (["error", "warning"].includes(message.type()) && !refusedCall) wrong.push(message.text());
    });
    onCleanup(async () => {
      await context.close();
      expect(wrong).toEqual([]);
    });
    return page;
  });
