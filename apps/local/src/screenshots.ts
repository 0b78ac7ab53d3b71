// `pnpm screenshots`: starts the product with its demo on free ports and takes pictures of every page, light and dark,
// wide and phone, into `.data/screenshots`. Look at them before you finish a change of the pages.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { repository } from "./env.ts";
import { openDemo } from "./testing/demo-browser.ts";
import { listAddresses, openPage, publicPages, readPages } from "./testing/pages.ts";
import { sizes } from "./testing/sizes.ts";

const target = join(repository, ".data/screenshots");
const only = process.argv[2];

await rm(target, { recursive: true, force: true });
await using demo = await openDemo();
const paths = await fillIn();
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const nobody = await demo.open({ colorScheme, viewport });
    const somebody = await demo.open({ colorScheme, viewport });
    await demo.signIn(somebody);
    for (const path of paths.filter((one) => only === undefined || one.startsWith(only))) {
      const context = publicPages.includes(path) ? nobody : somebody;
      await takePicture(context, path, join(target, `${size}-${colorScheme}`));
    }
    await nobody.close();
    await somebody.close();
  }
}
console.log(`Pictures of ${paths.length} pages are in ${target}.`);

/** The address of every page, with ids of demo objects as parameters. */
async function fillIn(): Promise<string[]> {
  const context = await demo.open();
  await demo.signIn(context);
  const pages = readPages(join(repository, "apps/web/dist"));
  const filled = await Promise.all(pages.map((page) => listAddresses(context.request, page, { most: 4 })));
  await context.close();
  return filled.flat();
}

async function takePicture(context: BrowserContext, path: string, folder: string): Promise<void> {
  const page = await context.newPage();
  await openPage(page, path);
  const name = path === "/" ? "home" : path.slice(1).replaceAll("/", "_");
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
}
