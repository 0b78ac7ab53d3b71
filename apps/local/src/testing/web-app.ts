import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { repository } from "../env.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built web app. */
    webFolder: string;
    /** The path of Chromium. */
    chromium: string;
  }
}

const run = promisify(execFile);

/** Vitest's global set-up: builds the web app if something changed, and finds a browser. Runs once for all files. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const env = { ...process.env, NODE_ENV: "production", TURBO_TELEMETRY_DISABLED: "1" };
  await run("turbo", ["run", "build", "--filter=@querybell/web"], { cwd: repository, env });
  provide("webFolder", join(repository, "apps/web/dist"));
  const { stdout } = await run(process.execPath, [join(repository, "scripts/ensure-chromium.ts")]);
  provide("chromium", stdout.trim());
}
