import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "../webhooks/child.ts";
import { measureLatency } from "../webhooks/latency.ts";
import type { ReceiverProcess } from "../webhooks/receiver-messages.ts";
import type { Api } from "./api-calls.ts";

export const kinds = ["runs", "pages", "deliveries"] as const;
export type Latencies = Record<(typeof kinds)[number], number[]>;

interface QuietOptions {
  /** One key for runs and one for pages. */
  runsApi: Api;
  pagesApi: Api;
  /** Run alternately, so that a call does not join a slow run of the call before. */
  queryIds: string[];
  emitter: Child;
  receiver: ReceiverProcess;
  organizationId: string;
  seconds: number;
  /** The number of the first event that is emitted. */
  firstEvent: number;
}

// Below the limit of calls for a key: a run takes two calls.
const perSecond = { runs: 4, pages: 9 };
export const deliveriesPerSecond = 10;

/** Measures the milliseconds of each run, page and delivery of the quiet organization, all three concurrently. */
export async function measureQuiet(options: QuietOptions): Promise<Latencies> {
  const { runsApi, pagesApi, queryIds, emitter, receiver, organizationId, seconds, firstEvent } = options;
  const numbers = Array.from({ length: seconds * deliveriesPerSecond }, (_, index) => firstEvent + index);
  const pace = { concurrency: 4, batchSize: 1, perSecond: deliveriesPerSecond, report: true };
  const [runs, pages, deliveries] = await Promise.all([
    timed({ count: seconds * perSecond.runs, perSecond: perSecond.runs }, (number) =>
      runsApi.runToEnd(queryIds[number % queryIds.length] ?? ""),
    ),
    timed({ count: seconds * perSecond.pages, perSecond: perSecond.pages }, () =>
      pagesApi.client.references.list.query({ limit: 20 }),
    ),
    measureLatency({ emitter, receiver, request: { organizationIds: [organizationId], numbers, ...pace } }),
  ]);
  return { runs, pages, deliveries };
}

/** Starts calls at fixed times, even if earlier ones are still running, so that slow calls do not reduce the samples. */
function timed(
  { count, perSecond }: { count: number; perSecond: number },
  work: (number: number) => Promise<unknown>,
): Promise<number[]> {
  const one = async (number: number) => {
    await delay((number * 1000) / perSecond);
    const startedAt = performance.now();
    await work(number);
    return performance.now() - startedAt;
  };
  return Promise.all(Array.from({ length: count }, (_, number) => one(number)));
}
