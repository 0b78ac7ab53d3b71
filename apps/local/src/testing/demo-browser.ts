import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { demoSignIn } from "../demo/seed-demo.ts";
import { repository } from "../env.ts";
import { launch } from "./launch.ts";

const run = promisify(execFile);

/** Starts the product with its demo on free ports, and a browser for it. */
export async function openDemo() {
  const dataFolder = await mkdtemp(join(tmpdir(), "querybell-demo-"));
  const { stdout } = await run(process.execPath, [join(repository, "scripts/ensure-chromium.ts")]);
  const product = await launch({ dataFolder });
  const args = ["--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath: stdout.trim(), args });
  return {
    /** A browser context without a session. */
    open: (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
      browser.newContext({ baseURL: product.url, reducedMotion: "reduce", ...options }),
    /** Signs the demo's owner in. */
    async signIn({ request }: BrowserContext): Promise<void> {
      await request.post("/api/auth/sign-in/email", { data: demoSignIn, headers: { origin: product.url } });
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await product.interrupt();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
