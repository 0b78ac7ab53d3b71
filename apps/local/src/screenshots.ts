// `pnpm screenshots`: starts the product with its demo on free ports and takes pictures of every page, light and dark,
// wide and phone, into `.data/screenshots`. Look at them before you finish a change of the pages.
//   pnpm screenshots /settings       takes those whose address begins so
//   pnpm screenshots --scheme dark   takes those of one colour scheme, and keeps the others; likewise --size phone
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { repository } from "./env.ts";
import { openDemo } from "./testing/demo-browser.ts";
import { pageStates } from "./testing/page-states.ts";
import { listAddresses, openPage, publicPages, readPages, sizes, waitUntilLoaded } from "./testing/pages.ts";

const target = join(repository, ".data/screenshots");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { scheme: { type: "string" }, size: { type: "string" } },
});
const [only] = positionals;
const isWanted = (path: string) => only === undefined || path.startsWith(only);
const isChosen = (name: string, chosen: string | undefined) => chosen === undefined || chosen === name;
const schemes = (["light", "dark"] as const).filter((scheme) => isChosen(scheme, options.scheme));
const viewports = Object.entries(sizes).filter(([size]) => isChosen(size, options.size));

await using demo = await openDemo();
const paths = (await fillIn()).filter(isWanted);
for (const colorScheme of schemes) {
  for (const [size, viewport] of viewports) {
    const nobody = await demo.open({ colorScheme, viewport });
    const somebody = await demo.open({ colorScheme, viewport });
    await demo.signIn(somebody);
    const folder = join(target, `${size}-${colorScheme}`);
    await rm(folder, { recursive: true, force: true });
    for (const path of paths) {
      const context = publicPages.includes(path) ? nobody : somebody;
      await takePicture(context, { path, folder });
    }
    for (const state of pageStates.filter(({ path }) => isWanted(path))) {
      await takePicture(somebody, { ...state, folder });
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

interface Picture {
  path: string;
  folder: string;
  /** Of a state that the address alone does not show. */
  name?: string;
  reach?: (page: Page) => Promise<unknown>;
  leave?: (page: Page) => Promise<unknown>;
}

async function takePicture(context: BrowserContext, { path, folder, ...state }: Picture): Promise<void> {
  const page = await context.newPage();
  await openPage(page, path);
  await state.reach?.(page);
  await waitUntilLoaded(page);
  const name = state.name ?? (path === "/" ? "home" : path.slice(1).replaceAll("/", "_"));
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await state.leave?.(page);
  await page.close();
}
