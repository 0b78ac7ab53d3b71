import type { Page } from "playwright-core";
import { median } from "../measuring/measuring.ts";
import { openBrowser } from "../web/browser.ts";
import { drawnTile, startBoard, waitForTiles } from "./board.ts";

const visitCount = 5;
const slowdown = 4;
const patience = { timeout: 300_000 };

/**
 * How soon a dashboard of 12 charts with stored results is shown, with a CPU throttled to a quarter and an empty cache: the
 * largest contentful paint, and when all tiles are drawn. Throws unless one request brings all results.
 */
export async function measureOpening(): Promise<{ lcpMs: number; tilesMs: number }> {
  await using opened = new AsyncDisposableStack();
  const { signIn, dashboard } = await startBoard(opened);
  const { openWindow } = await openBrowser(opened, signIn, { slowdown, isTraced: false });
  const largest: number[] = [];
  const all: number[] = [];
  for (let count = 0; count < visitCount; count++) {
    const page = await openWindow();
    await page.addInitScript(noteTiles(dashboard.chartTiles));
    const requests = watchResults(page);
    await page.goto(`/dashboards/${dashboard.id}`);
    await waitForTiles(page, dashboard.chartTiles);
    await page.waitForLoadState("networkidle", patience);
    requireOneRequest(requests, dashboard.chartTiles);
    largest.push(await page.evaluate<number>("globalThis.largestPaint.ms"));
    all.push(await page.evaluate<number>("globalThis.tilesDrawnAt"));
    await page.context().close();
  }
  const shown = (times: number[]) => times.map((ms) => ms.toFixed(0)).join(", ");
  console.log(
    `opening a dashboard: largest paint after ${shown(largest)} ms, all tiles after ${shown(all)} ms`,
  );
  return { lcpMs: median(largest), tilesMs: median(all) };
}

/** Runs first in the page: records when the frame is painted in which the last of so many tiles is drawn. */
const noteTiles = (count: number) => `
  const observer = new MutationObserver(() => {
    if (document.querySelectorAll("${drawnTile}").length < ${count}) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { globalThis.tilesDrawnAt = performance.now(); }));
  });
  observer.observe(document, { childList: true, subtree: true });
`;

/** The addresses from which the page and its workers read results. */
function watchResults(page: Page): URL[] {
  const requests: URL[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^\/api\/(results$|runs\/)/.test(url.pathname)) requests.push(url);
  });
  return requests;
}

function requireOneRequest(requests: readonly URL[], results: number): void {
  const [first] = requests;
  const found = first?.searchParams.get("runs")?.split(",").length;
  if (requests.length === 1 && found === results) return;
  throw new Error(
    `One request must bring the ${results} results of the dashboard. There were ${requests.length}, the first for ${found ?? "none"}.`,
  );
}
