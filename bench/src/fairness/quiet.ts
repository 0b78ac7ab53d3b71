import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "../webhooks/child.ts";
import { measureLatency } from "../webhooks/latency.ts";
import type { SinkProcess } from "../webhooks/sink-questions.ts";
import type { Api } from "./api-calls.ts";

export interface Latencies {
  runs: number[];
  pages: number[];
  deliveries: number[];
}

interface QuietOptions {
  api: Api;
  queryId: string;
  emitter: Child;
  sink: SinkProcess;
  organizationId: string;
  /** How many of each; runs and pages one after the other, deliveries at a pace. */
  counts: Record<keyof Latencies, number>;
  firstEvent: number;
}

const pauseMs = 50;

/** What the quiet organization notices: milliseconds of each run, page and delivery, all three at the same time. */
export async function measureQuiet(options: QuietOptions): Promise<Latencies> {
  const { api, queryId, emitter, sink, organizationId, counts, firstEvent } = options;
  const numbers = Array.from({ length: counts.deliveries }, (_, index) => firstEvent + index);
  const pace = { lanes: 1, together: 1, perSecond: 10, report: true };
  const [runs, pages, deliveries] = await Promise.all([
    timed(counts.runs, () => api.runToEnd(queryId)),
    timed(counts.pages, () => api.client.references.list.query({ limit: 20 })),
    measureLatency({ emitter, sink, order: { organizationIds: [organizationId], numbers, ...pace } }),
  ]);
  return { runs, pages, deliveries };
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
    await delay(pauseMs);
  }
  return times;
}
