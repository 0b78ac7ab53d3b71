import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient } from "@querybell/client";

interface LoadOptions {
  /** The addresses of the apis. Each call goes to the next one. */
  urls: string[];
  apiKey: string;
  queryId: string;
  isOver: () => boolean;
}

/** What the callers of the api saw. */
export interface Seen {
  answers: number;
  /** How often each error occurred. */
  errors: Map<string, number>;
  /** The ids of the runs that the api has confirmed. */
  runs: Set<string>;
  /** When calls succeeded, of the clock of `performance`. */
  successes: number[];
}

const pauseMs = 50;

/** Starts query runs and reads lists, about 20 times a second each, and counts what fails. */
export async function runCalls({ urls, apiKey, queryId, isOver }: LoadOptions): Promise<Seen> {
  const seen: Seen = { answers: 0, errors: new Map(), runs: new Set(), successes: [] };
  const clients = urls.map((url) => createClient({ url, apiKey }));
  const repeat = async (call: (client: Client) => Promise<void>) => {
    for (let turn = 0; !isOver(); turn++) {
      const client = clients[turn % clients.length];
      if (!client) throw new Error("There is no api.");
      try {
        await call(client);
        seen.answers++;
        seen.successes.push(performance.now());
      } catch (error) {
        const name = nameOf(error);
        seen.errors.set(name, (seen.errors.get(name) ?? 0) + 1);
      }
      await delay(pauseMs);
    }
  };
  await Promise.all([
    repeat(async (client) => {
      const run = await client.queries.run.mutate({ id: queryId, parameterValues: {} });
      seen.runs.add(run.id);
    }),
    repeat(async (client) => void (await client.queries.list.query({ limit: 10 }))),
  ]);
  return seen;
}

/** The code of the api, or what the connection says. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { data, cause } = error as { data?: { reason?: string; code?: string }; cause?: { code?: string } };
  return data?.reason ?? data?.code ?? cause?.code ?? error.message.slice(0, 80);
}

/** The longest time without a success between two moments, in seconds. */
export function longestGap(successes: number[], from: number, until: number): number {
  const times = [from, ...successes.filter((at) => at > from && at < until), until];
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1000;
}
