import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { z } from "zod";

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

const categories = [
  "-*",
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "v8",
  "toplevel",
  "loading",
];

const TraceEvent = z.object({
  name: z.string(),
  ph: z.string(),
  pid: z.number(),
  tid: z.number(),
  ts: z.number(),
  dur: z.number().default(0),
  /** The time that the thread ran on a processor: what a busy machine adds is not in it. */
  tdur: z.number().default(0),
  args: z.looseObject({ name: z.string().optional() }).optional(),
});
type TraceEvent = z.infer<typeof TraceEvent>;
const Trace = z.object({ traceEvents: TraceEvent.array() });

/** Does something on a page and prints what the page's main thread spent its time on. */
async function traceMainThread<Result>(
  page: Page,
  title: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const browser = page.context().browser();
  if (!browser) return act();
  await browser.startTracing(page, { categories });
  const result = await act();
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const times = [...selfTimes(eventsOfBusiestPage(traceEvents))].toSorted(([, a], [, b]) => b.ms - a.ms);
  console.log(`${title}: milliseconds of processor time of the main thread, and how often`);
  for (const [name, { ms, count }] of times.slice(0, 16)) {
    console.log(`${ms.toFixed(1).padStart(10)} ${String(count).padStart(7)}  ${name}`);
  }
  return result;
}

/** Chromium traces every process: the page is where the busiest main thread is. */
function eventsOfBusiestPage(events: readonly TraceEvent[]): TraceEvent[] {
  const threads = events
    .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
    .map(({ pid, tid }) => events.filter((one) => one.ph === "X" && one.pid === pid && one.tid === tid));
  const [busiest = []] = threads.toSorted((a, b) => b.length - a.length);
  return busiest.toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
}

/** By kind of work: how long it took without what it started in turn. */
function selfTimes(events: readonly TraceEvent[]): Map<string, { ms: number; count: number }> {
  const times = new Map<string, { ms: number; count: number }>();
  const open: TraceEvent[] = [];
  const add = (name: string, us: number, count: number) => {
    const time = times.get(name) ?? { ms: 0, count: 0 };
    times.set(name, { ms: time.ms + us / 1000, count: time.count + count });
  };
  for (const event of events) {
    while (open.length > 0 && endOf(open.at(-1)) <= event.ts) open.pop();
    const outer = open.at(-1);
    if (outer) add(outer.name, -event.tdur, 0);
    add(event.name, event.tdur, 1);
    open.push(event);
  }
  return times;
}

const endOf = (event: TraceEvent | undefined): number => (event ? event.ts + event.dur : 0);
