import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  // Chromium loads the suggestions of the address bar, a page with hundreds of scripts, together with the first page
  // of every new window. A window in use has loaded them already.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
];
const cpuSlowdown = 4;

interface SignIn {
  url: string;
  email: string;
  password: string;
}

/** Opens a page in a new window, with an empty cache and a throttled CPU. */
export type Visit = (path: string) => Promise<Page>;

export async function openBrowser(
  opened: AsyncDisposableStack,
  { url, email, password }: SignIn,
): Promise<Visit> {
  const finder = fileURLToPath(new URL("../../../scripts/ensure-chromium.ts", import.meta.url));
  const executablePath = execFileSync(process.execPath, [finder], { encoding: "utf8" }).trim();
  const browser = await chromium.launch({ executablePath, args: flags });
  opened.defer(() => browser.close());
  // Once, because sign-ins are limited.
  const first = await browser.newContext({ baseURL: url });
  const signIn = { data: { email, password }, headers: { origin: url } };
  const answer = await first.request.post("/api/auth/sign-in/email", signIn);
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}.`);
  const storageState = await first.storageState();
  await first.close();
  return async (path) => {
    const context = await browser.newContext({
      baseURL: url,
      storageState,
      viewport: { width: 1280, height: 800 },
    });
    const page = await context.newPage();
    await page.addInitScript(observe);
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
    await page.goto(path);
    return page;
  };
}

/** Runs first in the page: records the largest contentful paint, and the time from key press to paint. */
const observe = `
  globalThis.largestPaintMs = 0;
  globalThis.keyPaintsMs = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.largestPaintMs = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === "keydown") globalThis.keyPaintsMs.push(entry.duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
`;
