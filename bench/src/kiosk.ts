// pnpm bench kiosk: a dashboard on a screen, in a real Chromium, for an hour at ten times the pace: refreshed every 6 seconds
// instead of every minute, with the next tab every 3 seconds instead of 30, looking for news every second instead of ten.
// The api is restarted once, and the dashboard changed meanwhile. What the page holds must not grow.
//   --minutes 3   for less; below 10 minutes nothing is said about growth
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { updateDashboard } from "@querybell/core/dashboards";
import { DashboardContent } from "@querybell/domain";
import { startBoard, waitForTiles } from "./dashboards/board.ts";
import { memoryKinds, openPageMemory, type PageMemory } from "./kiosk/page-memory.ts";
import { compareThirds, hasGrown, minMinutes } from "./measuring/thirds.ts";
import { openBrowser } from "./web/browser.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { minutes: { type: "string", default: "60" } },
});
const minutes = Number(flags.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");
const durationMs = minutes * 60_000;
const sampleEveryMs = Math.min(30_000, durationMs / 60);
const pace = 10;
const refreshSeconds = 60;
const rotateSeconds = 30;
const patience = { timeout: 60_000 };

/** What charts of other values and the tab that is shown may differ by. */
const tolerance: Record<keyof PageMemory, { factor: number; plus: number }> = {
  heap: { factor: 1.05, plus: 500_000 },
  nodes: { factor: 1.05, plus: 100 },
  listeners: { factor: 1.05, plus: 20 },
};

/** Runs first in the page: what it does every five seconds or less often, it does ten times as often. */
const speedUp = `
  const start = globalThis.setInterval;
  globalThis.setInterval = (callback, ms, ...values) => start(callback, ms >= 5000 ? ms / ${pace} : ms, ...values);
`;

await withCleanup(async (cleanup) => {
  const { deps, caller, signIn, dashboard, restartApi } = await startBoard(cleanup);
  const { openWindow } = await openBrowser(cleanup, signIn, { slowdown: 1, isTraced: false });
  const page = await openWindow();
  const problems = new Set<string>();
  page.on("pageerror", ({ message }) => problems.add(`The page ran into an error: ${message}`));
  await page.addInitScript(speedUp);
  await page.goto(`/dashboards/${dashboard.id}/kiosk?rotate=${rotateSeconds}&refresh=${refreshSeconds}`);
  await page.evaluate("globalThis.isFirstLoad = true");
  const readMemory = await openPageMemory(page);
  const chartsTab = (title: string) => page.getByRole("heading", { name: `${title}: Charts`, exact: true });
  const waitForCharts = async (title: string) => {
    await chartsTab(title).waitFor(patience);
    await waitForTiles(page, dashboard.chartTiles);
  };

  const samples: PageMemory[] = [];
  const startedAt = performance.now();
  let { title } = dashboard;
  for (let at = 0; performance.now() - startedAt < durationMs; at++) {
    if (title === dashboard.title && performance.now() - startedAt > durationMs / 3) {
      title = "The shop, changed";
      await restartAndChange(title);
    }
    // The tabs hold different amounts.
    await waitForCharts(title);
    const sample = await readMemory();
    // On a busy machine the next tab may be there before the collection has ended.
    if (await chartsTab(title).isVisible()) samples.push(sample);
    if (at % 10 === 0) {
      const passed = ((performance.now() - startedAt) / 60_000).toFixed(1);
      console.log(
        `${passed} min: ${memoryKinds.map((kind) => describe(kind, show(kind, sample[kind]))).join(" ")}`,
      );
    }
    await delay(sampleEveryMs);
  }

  if (!(await page.evaluate("globalThis.isFirstLoad"))) problems.add("The page loaded itself again.");
  await expectFresh();
  const refreshes = await deps.db.prisma.dashboardRefresh.count({ where: { dashboardId: dashboard.id } });
  const wanted = (durationMs / 1000 / refreshSeconds) * pace;
  if (refreshes < wanted / 2)
    problems.add(`It was refreshed ${refreshes} times. Expected were about ${wanted}.`);
  const failed = await deps.db.prisma.queryRun.count({ where: { status: "failed" } });
  if (failed > 0) problems.add(`${failed} runs of its refreshes failed.`);
  const compared = memoryKinds.map((kind) => {
    const thirds = compareThirds(samples.map((sample) => sample[kind]));
    const shown = `${show(kind, thirds.second)}..${show(kind, thirds.last)}`;
    if (minutes >= minMinutes && hasGrown(thirds, tolerance[kind]))
      problems.add(`The ${kind} grew: ${shown}.`);
    return describe(kind, shown);
  });
  for (const problem of problems) console.error(`- ${problem}`);
  if (problems.size > 0) process.exitCode = 1;
  console.log(
    `kiosk minutes=${minutes} refreshes=${refreshes} ${compared.join(" ")} problems=${problems.size}`,
  );

  /** Stops the api, changes the dashboard, and starts the api again: the kiosk must show the new version and new results. */
  async function restartAndChange(newTitle: string): Promise<void> {
    const notice = page.getByText("The connection is lost");
    const text = "Changed while the api was away.";
    const note = { id: "note", kind: "text", text, x: 0, y: 31, w: 12, h: 2 };
    const [charts, ...others] = dashboard.content.tabs;
    const tabs = [{ ...charts, tiles: [...(charts?.tiles ?? []), note] }, ...others];
    await restartApi(async () => {
      await notice.waitFor(patience);
      const content = DashboardContent.parse({ ...dashboard.content, tabs });
      await updateDashboard(deps, caller, { id: dashboard.id, title: newTitle, content });
    });
    await notice.waitFor({ ...patience, state: "detached" });
    await waitForCharts(newTitle);
    await page.getByText(text).waitFor(patience);
    await expectFresh();
    console.log("The api was restarted: the kiosk shows the new version and new results.");
  }

  /** Waits until the kiosk shows a moment from now on. */
  async function expectFresh(): Promise<void> {
    const now = deps.clock.now().toISOString();
    const shown = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll("time")].map(({ dateTime }) => dateTime)`);
    const until = performance.now() + patience.timeout;
    while (!(await shown()).some((moment) => moment > now)) {
      if (performance.now() > until) throw new Error(`The kiosk shows nothing that is newer than ${now}.`);
      await delay(200);
    }
  }
});

/** The heap in megabytes. */
function show(kind: keyof PageMemory, value: number): string {
  return kind === "heap" ? (value / 1e6).toFixed(2) : String(value);
}

function describe(kind: keyof PageMemory, shown: string): string {
  return `${kind === "heap" ? "heap_mb" : kind}=${shown}`;
}
