import type { Page } from "playwright-core";
import { z } from "zod";

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
export async function traceMainThread<Result>(
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
