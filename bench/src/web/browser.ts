import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { traceMainThread } from "./main-thread.ts";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  // Chromium loads the suggestions of the address bar, a page with hundreds of scripts, together with the first page
  // of every new window. A window in use has loaded them already.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
];

interface SignIn {
  url: string;
  email: string;
  password: string;
}

interface Conditions {
  /** By how much the CPU is throttled. */
  slowdown: number;
  isTraced: boolean;
}

export interface Visits {
  /** Opens an empty window, with an empty cache and a throttled CPU. */
  openWindow(): Promise<Page>;
  /** Runs the measured action. With tracing, prints what the main thread of the page did meanwhile. */
  measure: typeof traceMainThread;
}

export async function openBrowser(
  opened: AsyncDisposableStack,
  { url, email, password }: SignIn,
  { slowdown, isTraced }: Conditions,
): Promise<Visits> {
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
  const openWindow = async () => {
    const context = await browser.newContext({
      baseURL: url,
      storageState,
      viewport: { width: 1280, height: 800 },
    });
    const page = await context.newPage();
    await page.addInitScript(observe);
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    return page;
  };
  return { openWindow, measure: isTraced ? traceMainThread : (_page, _title, act) => act() };
}

/** Runs first in the page: records the largest contentful paint, and the time from key press to paint. */
const observe = `
  globalThis.largestPaint = { ms: 0, of: "" };
  globalThis.keyPaints = [];
  new PerformanceObserver((list) => {
    for (const { startTime: ms, element } of list.getEntries()) {
      globalThis.largestPaint = { ms, of: element ? element.outerHTML.slice(0, 200) : "" };
    }
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime: pressedAt, duration: ms } of list.getEntries()) {
      if (name === "keydown") globalThis.keyPaints.push({ pressedAt, ms });
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
`;
