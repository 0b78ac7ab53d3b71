import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIRequestContext, Page } from "playwright-core";
import { z } from "zod";

/** The address of every page, as the web app's router writes it: `/queries/$queryId`. */
export const readPages = (webFolder: string): string[] =>
  z
    .object({ address: z.string() })
    .array()
    .parse(JSON.parse(readFileSync(join(webFolder, "pages.json"), "utf8")))
    .map(({ address }) => address);

/** The pages for somebody who is not signed in. */
export const publicPages = ["/sign-in", "/forgot-password", "/reset-password", "/invitation"];

/** The procedure and field that give the values of an address parameter. */
const sources: Record<string, { call: string; field: string; input?: object }> = {
  "/chats/$shortId": { call: "automationRuns.list", field: "shortId" },
  $shortId: { call: "references.list", field: "shortId" },
  $dashboardId: { call: "library.list", field: "id", input: { kind: "dashboard" } },
  $queryId: { call: "queries.list", field: "id" },
  $automationId: { call: "automations.list", field: "id" },
  $endpointId: { call: "webhookEndpoints.list", field: "id" },
  $destinationId: { call: "destinations.list", field: "id" },
  $deliveryId: { call: "webhookDeliveries.search", field: "id" },
  $databaseId: { call: "databases.describe", field: "id" },
};

const Item = z.record(z.string(), z.unknown());
const Listed = z.object({
  result: z.object({ data: z.union([z.object({ items: Item.array() }), Item.array()]) }),
});

/** The addresses of a page for the first objects that the signed-in person can open there. */
export async function listAddresses(
  request: APIRequestContext,
  page: string,
  { most }: { most: number },
): Promise<string[]> {
  const [parameter] = /\$\w+/.exec(page) ?? [];
  if (parameter === undefined) return [page];
  const source = sources[page] ?? sources[parameter];
  if (!source) throw new Error(`Say in ${import.meta.filename} where ${parameter} of ${page} comes from.`);
  const input = encodeURIComponent(JSON.stringify(source.input ?? {}));
  const answer = await request.get(`/api/trpc/${source.call}?input=${input}`);
  const { data } = Listed.parse(await answer.json()).result;
  const items = Array.isArray(data) ? data : data.items;
  if (items.length === 0) throw new Error(`${source.call} lists nothing for ${page}.`);
  return items.slice(0, most).map((item) => page.replace(parameter, String(item[source.field])));
}

const stillLoading = '[aria-busy="true"], .mantine-Skeleton-root';
const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/** Opens a page and waits until it shows no loading indicator. Live streams, which never end, are not waited for. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await waitUntilLoaded(page);
}

/** Waits until the page shows no loading indicator. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const loading = page.locator(stillLoading);
  do {
    await loading.first().waitFor({ state: "detached" });
    await page.evaluate(twoFrames);
  } while ((await loading.count()) > 0);
}

/** The screen sizes at which every page must work. */
export const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
