import { setTimeout as sleep } from "node:timers/promises";
import {
  type ModelAnswer,
  type ModelRequest,
  type StreamOptions,
  streamAnswer,
  type TokenUsage,
} from "./stream-answer.ts";

export interface AskOptions extends StreamOptions {
  /** Whether the request may be sent again after so many tokens were used. */
  mayRetry: (used: TokenUsage) => Promise<boolean>;
  /** Nothing is retried that would start after this time. */
  deadline: Date;
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

type AskedModel = ModelAnswer & {
  usage: TokenUsage;
  /** How many requests it took. */
  calls: number;
};

const maxAttempts = 5;
const firstDelayMs = 1_000;

/** Asks a model. Retries temporary failures: when the server says so, or after a growing delay. */
export async function askModel(request: ModelRequest, options: AskOptions): Promise<AskedModel> {
  const { signal, clock, deadline, wait = defaultWait } = options;
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { usage: used, ...answer } = await streamAnswer(request, options);
    usage.inputTokens += used.inputTokens;
    usage.outputTokens += used.outputTokens;
    const asked = { ...answer, usage, calls: attempt };
    if (answer.kind !== "failed" || !answer.isRetryable || attempt >= maxAttempts) return asked;
    const delayMs = answer.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1);
    const isTooLate = clock.now().getTime() + delayMs >= deadline.getTime();
    if (isTooLate || !(await options.mayRetry(usage))) return asked;
    options.onText("");
    await wait(delayMs, signal);
  }
}

const defaultWait = (ms: number, signal: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal });
