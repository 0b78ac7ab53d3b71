import type { WebhookRequest } from "./captured-request.ts";
import { aFunction, anObjectWith, checkOptions } from "./check-options.ts";
import type { Acceptance, DeliveryHandler } from "./dedupe.ts";
import type { Delivery } from "./delivery.ts";
import type { Receiver } from "./receiver.ts";
import { WebhookError, type WebhookErrorCode } from "./webhook-error.ts";

/** How an adapter answers. */
export interface WebhookOptions {
  /**
   * `after-handler` (the default) answers when the handler has ended: if it throws, the sender retries.
   * `before-handler` answers 202 at once, for handlers that take longer than the sender's 10 seconds: the
   * sender does not learn of failures, so `onError` must handle them.
   */
  answer?: "after-handler" | "before-handler";
  /**
   * Called for every refused request, with the hint that the sender does not get. The response does not wait
   * for it. Default: `console.warn`.
   */
  onRefused?: (error: WebhookError) => unknown;
  /**
   * Called when a handler fails and no framework handles the error: after the response, and on plain
   * `node:http` also before it (then without the delivery). Default: `console.error`.
   */
  onError?: (error: unknown, delivery?: Delivery) => unknown;
}

/** One endpoint: its receiver, handler and options. */
export interface Endpoint {
  receiver: Receiver;
  handler: DeliveryHandler;
  options: WebhookOptions;
}

const optionRules = {
  answer: {
    must: 'be "after-handler" or "before-handler"',
    holds: (value: unknown) => value === "after-handler" || value === "before-handler",
  },
  onRefused: aFunction,
  onError: aFunction,
};

/** Creates the endpoint of an adapter. Throws when it is mounted if the arguments cannot work. */
export function endpointOf(receiver: Receiver, handler: DeliveryHandler, options: WebhookOptions): Endpoint {
  if (!anObjectWith("accept").holds(receiver)) {
    throw new TypeError("The first argument of webhook must be a receiver: createReceiver({ … }).");
  }
  checkHandling(handler, options);
  return { receiver, handler, options };
}

export function checkHandling(handler: DeliveryHandler, options: WebhookOptions): void {
  if (!aFunction.holds(handler)) {
    throw new TypeError("The second argument of webhook must be the handler, a function of the delivery.");
  }
  checkOptions("webhook", options, optionRules);
}

export interface Answer {
  status: number;
  /** JSON for the sender's log that says what happened. Contains no secrets. */
  body: string;
  /** Work to start once the answer is on its way. Never rejects. */
  afterwards?: () => Promise<void>;
}

/** The statuses of refusals that are not 400. */
const statuses: Partial<Record<WebhookErrorCode, number>> = {
  body_too_large: 413,
  // A mistake in the receiving program.
  body_not_raw: 500,
};

/**
 * Verifies, deduplicates and handles one request. Rejects with the object that the handler or the store
 * throws. Other thrown values become an `Error`: to frameworks, `undefined` or `"route"` may mean that
 * nothing failed.
 */
export async function answer(endpoint: Endpoint, request: () => Promise<WebhookRequest>): Promise<Answer> {
  try {
    return await answerOrThrow(endpoint, request);
  } catch (error) {
    throw Object(error) === error ? error : new Error(`A webhook's handler or store threw ${String(error)}.`);
  }
}

async function answerOrThrow(endpoint: Endpoint, request: () => Promise<WebhookRequest>): Promise<Answer> {
  const { receiver, handler, options } = endpoint;
  let acceptance: Acceptance;
  try {
    acceptance = await receiver.accept(await request());
  } catch (error) {
    if (error instanceof WebhookError) return refuse(error, options);
    throw error;
  }
  // Outside of the try block: whatever a handler throws, even a `WebhookError`, is a failure and not a
  // refusal.
  if (acceptance.kind === "duplicate") return toAnswer(200, "duplicate");
  if (acceptance.kind === "in_progress") return toAnswer(409, "in_progress");
  const { delivery, run } = acceptance;
  if (options.answer === "before-handler") {
    const afterwards = () => run(handler).catch((error) => reportFailure(options, error, delivery));
    return { ...toAnswer(202, "accepted"), afterwards };
  }
  await run(handler);
  return toAnswer(200, "handled");
}

function refuse(error: WebhookError, options: WebhookOptions): Answer {
  const { code, message, hint, docs } = error;
  const { onRefused = () => console.warn(`Webhook refused, ${code}: ${message} ${hint} ${docs}`) } = options;
  callListener(() => onRefused(error));
  return toAnswer(statuses[code] ?? 400, code, message);
}

export function reportFailure(options: WebhookOptions, error: unknown, delivery?: Delivery): void {
  const { onError = () => console.error("A webhook handler failed:", error) } = options;
  callListener(() => onError(error, delivery));
}

/** Errors of a listener, thrown or rejected, must neither prevent the response nor end the process. */
function callListener(listener: () => unknown): void {
  new Promise((resolve) => resolve(listener())).catch((error) =>
    console.error("A webhook listener failed:", error),
  );
}

export const toAnswer = (status: number, code: string, message?: string): Answer => ({
  status,
  body: JSON.stringify({ code, message }),
});
