// `pnpm screenshots`: starts the product with its demo on free ports and takes pictures of every page, light and dark,
// wide and phone, into `.data/screenshots`. For looking at, before a change of the pages is called done.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { demoSignIn } from "./demo/seed-demo.ts";
import { repository } from "./env.ts";
import { launch } from "./testing/launch.ts";
import { listAddresses, publicPages, readPages, untilShown } from "./testing/pages.ts";
import { sizes } from "./testing/sizes.ts";

const run = promisify(execFile);
const target = join(repository, ".data/screenshots");
const only = process.argv[2];

const dataFolder = await mkdtemp(join(tmpdir(), "querybell-screenshots-"));
await rm(target, { recursive: true, force: true });
const { stdout } = await run(process.execPath, [join(repository, "scripts/ensure-chromium.ts")]);
const product = await launch({ dataFolder });
const browser = await chromium.launch({
  executablePath: stdout.trim(),
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const paths = await fillIn(browser);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const options = { baseURL: product.url, colorScheme, viewport, reducedMotion: "reduce" } as const;
      const nobody = await browser.newContext(options);
      const somebody = await browser.newContext(options);
      await signIn(somebody);
      for (const path of paths.filter((one) => only === undefined || one.startsWith(only))) {
        const context = publicPages.includes(path) ? nobody : somebody;
        await takePicture(context, path, join(target, `${size}-${colorScheme}`));
      }
      await nobody.close();
      await somebody.close();
    }
  }
  console.log(`Pictures of ${paths.length} pages are in ${target}.`);
} finally {
  await browser.close();
  await product.interrupt();
  await rm(dataFolder, { recursive: true, force: true });
}

async function signIn({ request }: BrowserContext): Promise<void> {
  await request.post("/api/auth/sign-in/email", { data: demoSignIn, headers: { origin: product.url } });
}

/** Every address, with real things of the demo where it has parameters. */
async function fillIn(opened: Browser): Promise<string[]> {
  const context = await opened.newContext({ baseURL: product.url });
  await signIn(context);
  const pages = readPages(join(repository, "apps/web/dist"));
  const filled = await Promise.all(pages.map((page) => listAddresses(context.request, page, { most: 4 })));
  await context.close();
  return filled.flat();
}

async function takePicture(context: BrowserContext, path: string, folder: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(path);
  await untilShown(page);
  const name = path === "/" ? "home" : path.slice(1).replaceAll("/", "_");
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
}
