// `pnpm docs:pictures`: starts the demo and takes the pictures of the README and the docs, into `docs/images`.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { z } from "zod";
import { repository } from "./env.ts";
import { openDemo } from "./testing/demo-browser.ts";
import { openPage } from "./testing/pages.ts";

const target = join(repository, "docs/images");

await mkdir(target, { recursive: true });
await using demo = await openDemo();
const context = await demo.open({ colorScheme: "light", viewport: { width: 1280, height: 800 } });
await demo.signIn(context);
for (const [name, page] of Object.entries(await findPages(context))) await takePicture(name, page);

interface PicturedPage {
  path: string;
  /** What must be on the page: the demo's queries run for the first time when it starts. */
  shows: string;
}

/** The pages, by the name of their picture. */
async function findPages({ request }: BrowserContext): Promise<Record<string, PicturedPage>> {
  const read = async <T>(call: string, schema: z.ZodType<T>): Promise<T> => {
    const answer = await request.get(`/api/trpc/${call}?input=%7B%7D`);
    return z.object({ result: z.object({ data: schema }) }).parse(await answer.json()).result.data;
  };
  const Reference = z.object({
    shortId: z.string(),
    title: z.string(),
    currentQuery: z.object({ id: z.string() }),
  });
  const references = await read("references.list", z.object({ items: Reference.array() }));
  const revenue = one(references.items.filter(({ title }) => title === "Revenue by month"));
  const orders = one(references.items.filter(({ title }) => title === "Orders of the last seven days"));
  const endpoints = await read(
    "webhookEndpoints.list",
    z.object({ id: z.string(), url: z.string() }).array(),
  );
  const failing = one(endpoints.filter(({ url }) => url.endsWith("/warehouse")));
  const Delivery = z.object({ id: z.string(), endpointId: z.string() });
  const deliveries = await read("webhookDeliveries.search", z.object({ items: Delivery.array() }));
  const failed = one(deliveries.items.filter(({ endpointId }) => endpointId === failing.id));
  const Run = z.object({ shortId: z.string(), status: z.string() });
  const runs = await read("automationRuns.list", z.object({ items: Run.array() }));
  const completed = one(runs.items.filter(({ status }) => status === "completed"));
  // For the guide, once the demo has them: a folder with queries and charts (`folders`), a query with a date range and
  // choices (`parameters`), and the list of drafts (`drafts`).
  return {
    home: { path: "/", shows: "[data-chart]" },
    permalink: { path: `/q/${revenue.shortId}`, shows: "[data-chart]" },
    query: { path: `/queries/${revenue.currentQuery.id}`, shows: "[role=gridcell]" },
    endpoint: { path: `/settings/webhooks/endpoints/${failing.id}`, shows: "main li" },
    delivery: { path: `/settings/webhooks/deliveries/${failed.id}`, shows: "main li" },
    "chart-builder": { path: `/q/${orders.shortId}/edit`, shows: "[data-chart]" },
    chat: { path: `/chats/${completed.shortId}`, shows: "[data-chart]" },
    agents: { path: "/settings/agents", shows: "main pre" },
    connect: { path: await askToConnect(request), shows: "main input[type=checkbox]" },
  };
}

/** The address to which a program sends people who connect it. */
async function askToConnect(request: BrowserContext["request"]): Promise<string> {
  const redirectUri = "https://assistant.example/callback";
  const data = { client_name: "Assistant", redirect_uris: [redirectUri] };
  const answer = await request.post("/api/oauth/register", { data });
  const { client_id } = z.object({ client_id: z.string() }).parse(await answer.json());
  const asked = { client_id, redirect_uri: redirectUri, response_type: "code" };
  const proof = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
  return `/connect?${new URLSearchParams({ ...asked, ...proof })}`;
}

function one<T>([first]: T[]): T {
  if (first === undefined) throw new Error("The demo has no object for one of the pictures.");
  return first;
}

/** As WebP, which only the browser's own protocol offers: a third of the size of a PNG. */
async function takePicture(name: string, { path, shows }: PicturedPage): Promise<void> {
  const page = await context.newPage();
  await openPage(page, path);
  await page.locator(shows).first().waitFor({ timeout: 120_000 });
  // The summary of the demo's automation arrives meanwhile.
  await page.locator(".mantine-Notification-root").waitFor({ state: "detached" });
  const browser = await context.newCDPSession(page);
  const { data } = await browser.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  await writeFile(join(target, `${name}.webp`), data, "base64");
  await page.close();
}
