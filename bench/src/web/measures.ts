import { median, percentile } from "../measuring/measuring.ts";
import type { Visits } from "./browser.ts";

const visitCount = 3;
const keys = 200;
const longFrameMs = 50;
const scrollSeconds = 10;

const patience = { timeout: 300_000 };

/** The median of the largest contentful paint, once the main content is drawn. */
export async function measurePaint(visits: Visits, path: string, drawn: string): Promise<number> {
  const paints: number[] = [];
  for (let count = 0; count < visitCount; count++) {
    const page = await visits.openWindow();
    await visits.measure(page, `opening ${path}`, async () => {
      await page.goto(path);
      await page.locator(drawn).first().waitFor(patience);
      await page.waitForLoadState("networkidle", patience);
    });
    paints.push(await page.evaluate<number>("globalThis.largestPaint.ms"));
    await page.context().close();
  }
  return Math.round(median(paints));
}

/** How many frames take too long while the grid is scrolled from its first row to its last. */
export async function measureGrid(visits: Visits, path: string): Promise<number> {
  const page = await visits.openWindow();
  await page.goto(path);
  await page.locator("[role=gridcell]").first().waitFor(patience);
  // The editor is the last part of the page that opens.
  await page.getByRole("textbox", { name: "SQL" }).waitFor(patience);
  await page.waitForLoadState("networkidle", patience);
  const frames = await visits.measure(page, "scrolling", () => page.evaluate<number[]>(scroll));
  await page.context().close();
  return frames.filter((duration) => duration > longFrameMs).length;
}

/** Runs in the page: scrolls in every frame and returns how long each took. */
const scroll = `(async () => {
    const grid = document.querySelector("[role=grid]");
    grid.scrollIntoView();
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    const end = grid.scrollHeight - grid.clientHeight;
    const start = performance.now();
    const durations = [];
    let before = start;
    while (grid.scrollTop < end - 1) {
      grid.scrollTop = Math.min(end, ((before - start) / ${scrollSeconds * 1000}) * end + 1);
      await frame();
      const now = performance.now();
      durations.push(now - before);
      before = now;
    }
    return durations;
  })()`;

/** The time from a key press in a long statement to its paint. Browsers do not report less than 16 ms. */
export async function measureTyping(visits: Visits, path: string): Promise<number> {
  const page = await visits.openWindow();
  await page.goto(path);
  await page.getByRole("textbox", { name: "SQL" }).click(patience);
  await page.waitForLoadState("networkidle", patience);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  // Keys are reported some frames after they were pressed, so those from before are told apart by their time.
  const since = await page.evaluate<number>("performance.now()");
  await visits.measure(page, "typing", async () => {
    for (let count = 0; count < keys; count++) {
      await page.keyboard.press("abcdefghij"[count % 10] ?? "a");
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
  });
  const reported = await page.evaluate<number[]>(
    `globalThis.keyPaints.filter(({ pressedAt }) => pressedAt >= ${since}).map(({ ms }) => ms)`,
  );
  await page.context().close();
  if (reported.length > keys)
    throw new Error(`${reported.length} of ${keys} keys were painted, which cannot be.`);
  const quick = Array.from({ length: keys - reported.length }, () => 16);
  return Math.round(percentile([...reported, ...quick], 99));
}
