import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createDashboard } from "@querybell/core/dashboards";
import { createKey } from "@querybell/core/keys";
import { updateSettings } from "@querybell/core/organizations";
import { createPublicLink } from "@querybell/core/public-links";
import { CreatePublicLink, DashboardContent } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { createPublicRole } from "@querybell/prisma";
import { request } from "undici";
import { createApi } from "../fairness/api-calls.ts";
import { median, percentile } from "../measuring/measuring.ts";
import { compareGets } from "../requests/get-load.ts";
import { startBoth } from "../requests/start-both.ts";
import { startChild } from "../webhooks/child.ts";
import { startInstallation } from "../webhooks/installation.ts";
import { Opened, type OpenPages, visitorsEntry } from "./open-pages.ts";

const publicEntry = new URL("../../../apps/public/src/main.ts", import.meta.url);
const rounds = 3;
const seconds = 10;
const quietPerSecond = 30;

/**
 * A public page over a bare route that sends the same bytes from memory; and, while it is opened a third as often as it can
 * be, the p99 of a quiet organization's lists over the same without that load.
 */
export async function measurePublicPages() {
  await using cleanup = new AsyncDisposableStack();
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const deps = {
    ...installation.deps,
    deployment: { ...installation.deps.deployment, publicPagesUrl: "http://localhost:4003" },
  };
  const owner = await installation.addOwner();
  const { key } = await createKey(deps, owner, { name: "Bench", scopes: ["references:read"] });
  await updateSettings(deps, owner, { publicLinks: true });
  const tiles = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: `${at}`, kind: "text", text: `# Part ${at}\n\n${"All that is known of it. ".repeat(20)}` },
    ...{ x: 0, y: at * 2, w: 12, h: 2 },
  }));
  const content = DashboardContent.parse({ tabs: [{ id: "tab", title: "All", tiles }] });
  const dashboard = { title: "Public", description: null, folderId: null, content };
  const { id } = await createDashboard(deps, owner, dashboard);
  const item = { kind: "dashboard", id };
  const { url: pageUrl } = await createPublicLink(deps, owner, CreatePublicLink.parse({ item }));

  const port = await freePort();
  const process = await startChild(publicEntry, {
    ...{ NODE_ENV: "production", LOG_LEVEL: "info", PUBLIC_PORT: String(port) },
    PUBLIC_DATABASE_URL: await createPublicRole(installation.superuserUrl),
    PUBLIC_PAGES_URL: "http://localhost:4003",
  });
  cleanup.defer(process.kill);
  const { ours: api, bare } = await startBoth(installation, cleanup);
  const headers = { "accept-encoding": "gzip" };
  const page = { url: `http://127.0.0.1:${port}`, path: new URL(pageUrl).pathname, headers, process };
  const answer = await request(page.url + page.path, { headers });
  const folder = await mkdtemp(join(tmpdir(), "querybell-bench-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "page.html.gz");
  await writeFile(file, Buffer.from(await answer.body.arrayBuffer()));
  const compared = await compareGets(page, { ...bare, path: "/memory", headers: { "x-file": file } });

  // The program that measures must not wait for the pages that it opens.
  const visitors = await startChild(visitorsEntry);
  cleanup.defer(visitors.kill);
  const quiet = createApi(api.url, key);
  const call = () => quiet.client.references.list.query({ limit: 20 });
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const without = await timed(call);
    const { process: _, ...opened } = page;
    const perSecond = compared.ours.perSecond / 3;
    await visitors.ask({ ...opened, perSecond } satisfies OpenPages);
    const withLoad = await timed(call);
    const { reached } = Opened.parse(await visitors.ask({}));
    if (reached < 0.9 * perSecond) {
      throw new Error(
        `Only ${reached.toFixed(0)} of ${perSecond.toFixed(0)} pages a second could be opened.`,
      );
    }
    // The first round warms up.
    if (round === 0) continue;
    const [p99Alone, p99Beside] = [percentile(without, 99), percentile(withLoad, 99)];
    console.log(
      `a quiet organization's p99: ${p99Alone.toFixed(1)} ms, beside ${reached.toFixed(0)} public pages a second ${p99Beside.toFixed(1)} ms`,
    );
    alone.push(p99Alone);
    beside.push(p99Beside);
  }
  // The median of the rounds: one disturbed second decides the 99th percentile of a round.
  const effect = median(beside) / median(alone);
  // Visitors make nothing faster.
  if (effect < 0.8) {
    throw new Error(
      `Something else took time while there were no visitors: the effect was ${effect.toFixed(2)}.`,
    );
  }
  return { ratio: compared.ratio, effect };
}

/** Starts calls at fixed times, and returns how long each took. */
const timed = (call: () => Promise<unknown>): Promise<number[]> =>
  Promise.all(
    Array.from({ length: seconds * quietPerSecond }, async (_, number) => {
      await delay((number * 1000) / quietPerSecond);
      const startedAt = performance.now();
      await call();
      return performance.now() - startedAt;
    }),
  );
