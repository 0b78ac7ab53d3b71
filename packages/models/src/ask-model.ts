import { setTimeout as sleep } from "node:timers/promises";
import { estimateRequest } from "./messages.ts";
import {
  type ModelAnswer,
  type ModelRequest,
  type StreamOptions,
  streamAnswer,
  type TokenUsage,
} from "./stream-answer.ts";

export interface AskOptions extends StreamOptions {
  /** The maximum number of tokens of all attempts together, with the requests. */
  maxTokens: number;
  /** Nothing is retried that would start after this time. */
  deadline: Date;
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export type AskedModel = ModelAnswer & {
  usage: TokenUsage;
  /** How many requests it took. */
  calls: number;
};

const maxAttempts = 5;
const firstDelayMs = 1_000;

/** Asks a model, and again after failures that may pass: when the server says so, or after a growing delay. */
export async function askModel(request: ModelRequest, options: AskOptions): Promise<AskedModel> {
  const { signal, clock, deadline, wait = defaultWait } = options;
  const usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  const needed = estimateRequest(request.messages, request.tools);
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { usage: used, ...answer } = await streamAnswer(request, options);
    usage.inputTokens += used.inputTokens;
    usage.outputTokens += used.outputTokens;
    const asked = { ...answer, usage, calls: attempt };
    if (answer.kind !== "failed" || !answer.isRetryable || attempt >= maxAttempts) return asked;
    const delayMs = answer.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1);
    const isTooLate = clock.now().getTime() + delayMs >= deadline.getTime();
    if (isTooLate || usage.inputTokens + usage.outputTokens + needed > options.maxTokens) return asked;
    options.onText("");
    await wait(delayMs, signal);
  }
}

const defaultWait = (ms: number, signal: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal });
