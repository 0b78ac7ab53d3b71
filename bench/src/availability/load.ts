import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, toApiError } from "@querybell/client";
import { z } from "zod";

interface LoadOptions {
  /** The address of the proxy. */
  url: string;
  apiKey: string;
  /** Automations of external agents: a program for each claims and completes its runs. */
  automationIds: readonly string[];
  /** A query with the parameter `n` whose result is one row: `n` and its square. */
  queryId: string;
}

/** What the callers of the api saw. Times are of the clock of `performance`. */
export interface Seen {
  /** How often each error occurred, by its code. */
  errors: Map<string, number>;
  /** What was answered although it is not true. */
  wrong: string[];
  /** The summaries of the runs of automations whose completion was confirmed, by their ids. */
  completed: Map<string, string>;
  /** The numbers that the confirmed runs of the query have squared, by their ids. */
  squared: Map<string, number>;
  /** When something succeeded. */
  successes: { call: number[]; completion: number[]; result: number[] };
}

const pauseMs = 50;
const answerWithinMs = 30_000;
const runEndsWithinMs = 90_000;
const Result = z.object({ rows: z.array(z.array(z.unknown())) });

/** Calls the api until it is stopped: ends runs, reads what it was told earlier, and computes squares. */
export function startLoad({ url, apiKey, automationIds, queryId }: LoadOptions) {
  const seen: Seen = {
    errors: new Map(),
    wrong: [],
    completed: new Map(),
    squared: new Map(),
    successes: { call: [], completion: [], result: [] },
  };
  let isOver = false;
  const client = createClient({ url, apiKey });
  const program: Program = {
    ...{ client, url, apiKey, seen, isOver: () => isOver },
    async call(work) {
      try {
        const answer = await work({ signal: AbortSignal.timeout(answerWithinMs) });
        seen.successes.call.push(performance.now());
        return { answer };
      } catch (error) {
        const name = nameOf(error);
        seen.errors.set(name, (seen.errors.get(name) ?? 0) + 1);
        await delay(pauseMs);
        return { error: name };
      }
    },
  };
  const ended = Promise.all([
    ...automationIds.map((automationId) => endRuns(program, automationId)),
    ...[0, 1].map((first) => computeSquares(program, { queryId, first, step: 2 })),
    readAgain(program),
  ]);
  return {
    seen,
    async stop(): Promise<void> {
      isOver = true;
      await ended;
    },
  };
}

interface Program extends Pick<LoadOptions, "url" | "apiKey"> {
  client: Client;
  seen: Seen;
  isOver: () => boolean;
  /** Calls once. An error is counted, and not thrown. */
  call<T>(
    work: (options: { signal: AbortSignal }) => Promise<T>,
  ): Promise<{ answer: T; error?: never } | { answer?: never; error: string }>;
}

/** An external agent: triggers a run, claims it, completes it, and goes on as after any error. */
async function endRuns({ client, seen, call, isOver }: Program, automationId: string): Promise<void> {
  for (let number = 1; !isOver(); number++) {
    await call((options) => client.automations.trigger.mutate({ id: automationId }, options));
    const { answer: claim } = await call((options) =>
      client.externalAgents.claim.mutate({ automationId, leaseSeconds: 5 }, options),
    );
    if (!claim) {
      // The end of a run was not confirmed: it is offered again when its claim has ended.
      await delay(500);
      continue;
    }
    const summary = `Run ${number} of ${automationId} is done.`;
    const { claimNumber } = claim;
    const { answer: completed } = await call((options) =>
      client.externalAgents.complete.mutate({ runId: claim.run.id, claimNumber, summary }, options),
    );
    if (completed) {
      seen.successes.completion.push(performance.now());
      seen.completed.set(completed.id, summary);
    }
    await delay(pauseMs);
  }
}

/** Runs the query with one number after the other, waits for the end of each run, and checks its result. */
async function computeSquares(
  program: Program,
  { queryId, first, step }: { queryId: string; first: number; step: number },
): Promise<void> {
  const { client, seen, call, isOver } = program;
  for (let n = first; !isOver(); n += step) {
    const { answer: run } = await call((options) =>
      client.queries.run.mutate({ id: queryId, parameterValues: { n: String(n) } }, options),
    );
    if (!run) continue;
    seen.squared.set(run.id, n);
    const status = await waitForEnd(program, run.id);
    if (status !== "completed") continue;
    const { answer: rows } = await call((options) => readResult(program, run.id, options));
    if (!rows) continue;
    seen.successes.result.push(performance.now());
    const text = JSON.stringify(rows.map((row) => row.map(Number)));
    if (text !== JSON.stringify([[n, n * n]])) seen.wrong.push(`The square of ${n} is answered as ${text}.`);
    await delay(pauseMs);
  }
}

async function waitForEnd({ client, seen, call }: Program, id: string): Promise<string | undefined> {
  const deadline = performance.now() + runEndsWithinMs;
  while (performance.now() < deadline) {
    const { answer, error } = await call((options) => client.runs.get.query({ id }, options));
    if (error === "not_found") seen.wrong.push(`The confirmed run ${id} is not found.`);
    if (error === "not_found") return undefined;
    if (answer?.status === "failed") {
      seen.wrong.push(`The run ${id} failed: ${JSON.stringify(answer.failure)}`);
    }
    if (answer?.status === "completed" || answer?.status === "failed") return answer.status;
    await delay(pauseMs);
  }
  seen.wrong.push(`The run ${id} has not ended in ${runEndsWithinMs / 1000} s.`);
  return undefined;
}

async function readResult({ url, apiKey }: Program, id: string, options: { signal: AbortSignal }) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/runs/${id}/result`, { headers, ...options });
  const text = await response.text();
  if (!response.ok) throw new Error(`result ${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`);
  return Result.parse(JSON.parse(text)).rows;
}

/** Reads runs whose completion was confirmed: they must stay as they were. */
async function readAgain({ client, seen, call, isOver }: Program): Promise<void> {
  while (!isOver()) {
    const known = [...seen.completed];
    const [id, summary] = known[Math.floor(Math.random() * known.length)] ?? [];
    if (id !== undefined) {
      const { answer, error } = await call((options) => client.automationRuns.get.query({ id }, options));
      const isTrue = answer?.status === "completed" && answer.summary === summary;
      if (error === "not_found" || (answer && !isTrue)) {
        seen.wrong.push(
          `The confirmed run ${id} is ${answer?.status ?? "not found"}: ${answer?.summary ?? ""}`,
        );
      }
    }
    await delay(pauseMs);
  }
}

/** The code of the api, or what the connection says. */
function nameOf(error: unknown): string {
  const api = toApiError(error);
  if (api) return String(api.reason);
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: Error & { cause?: { code?: string } } };
  // The proxy's answer has no body.
  if (cause instanceof SyntaxError) return "no api is ready, says the proxy";
  return cause?.cause?.code ?? error.message.slice(0, 80);
}

/** The longest time without a success between two moments, in seconds. */
export function longestGap(successes: readonly number[], from: number, until: number): number {
  const times = [from, ...successes.filter((at) => at > from && at < until), until];
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1000;
}
