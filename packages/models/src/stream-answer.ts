import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { createGuardedFetch, type FetchLimits, RefusedUrlError } from "./guarded-fetch.ts";
import {
  estimateRequest,
  estimateTokens,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
  toFunctionTool,
  toPrompt,
} from "./messages.ts";
import type { ModelGuard, ModelServer } from "./model-guard.ts";
import { redact } from "./redact.ts";
import { parseRetryAfter } from "./retry-after.ts";

export interface ModelRequest {
  server: ModelServer;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** The maximum number of tokens that the model may write. */
  maxOutputTokens: number;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export type ModelAnswer =
  | { kind: "answered"; text: string; toolCalls: ToolCall[]; isCut: boolean }
  /** The model, or its server, will not answer this request. */
  | { kind: "refused"; reason: string }
  /** The model wrote more than it may. */
  | { kind: "too_long" }
  | { kind: "failed"; reason: string; isRetryable: boolean; retryAfterMs: number | undefined };

export interface StreamOptions {
  guard: ModelGuard;
  limits: FetchLimits;
  signal: AbortSignal;
  clock: { now(): Date };
  /** Called with the whole text so far, whenever it has grown. */
  onText: (text: string) => void;
}

export type CountedAnswer = ModelAnswer & { usage: TokenUsage };

const none: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Makes one request and reads its answer as it comes. Throws only the reason of an aborted signal. */
export async function streamAnswer(
  modelRequest: ModelRequest,
  options: StreamOptions,
): Promise<CountedAnswer> {
  const { server, messages, tools, maxOutputTokens } = modelRequest;
  const { guard, limits, signal } = options;
  const guarded = createGuardedFetch(guard, limits);
  const stopping = new AbortController();
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: server.url.replace(/\/$/, ""),
    ...(server.apiKey !== null && { apiKey: server.apiKey }),
    includeUsage: true,
    fetch: guarded.fetch,
  });
  const reader = new AnswerReader(modelRequest, options.onText);
  const estimate = () => ({
    inputTokens: estimateRequest(messages, tools),
    outputTokens: estimateTokens(reader.written),
  });
  try {
    const { stream } = await provider(server.name).doStream({
      prompt: toPrompt(messages),
      tools: tools.map(toFunctionTool),
      maxOutputTokens,
      abortSignal: AbortSignal.any([signal, stopping.signal]),
    });
    for await (const part of stream) {
      if (reader.add(part) === "too_long") {
        stopping.abort();
        return { kind: "too_long", usage: estimate() };
      }
    }
    return { ...reader.answer(), usage: reader.usage(estimate()) };
  } catch (error) {
    signal.throwIfAborted();
    const { apiKey } = server;
    const failure = toFailure(error, { clock: options.clock, isPrivate: guarded.isPrivate(), apiKey });
    return { ...failure, usage: reader.hasBegun ? estimate() : none };
  } finally {
    await guarded.close();
  }
}

/** Collects the parts of a streamed answer. */
class AnswerReader {
  #text = "";
  /** Everything that the model wrote, which is what it is charged for: text, reasoning and arguments. */
  written = "";
  hasBegun = false;
  readonly #toolCalls: ToolCall[] = [];
  #finish: LanguageModelV4FinishReason | undefined;
  #usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } = {};
  #error: unknown;
  readonly #request: ModelRequest;
  readonly #maxCharacters: number;
  readonly #onText: (text: string) => void;

  constructor(request: ModelRequest, onText: (text: string) => void) {
    this.#request = request;
    // A token has rarely more characters than this. Servers count for themselves; some do not stop.
    this.#maxCharacters = request.maxOutputTokens * 8;
    this.#onText = onText;
  }

  add(part: LanguageModelV4StreamPart): "too_long" | undefined {
    switch (part.type) {
      case "text-delta":
        this.#text += part.delta;
        this.written += part.delta;
        this.hasBegun = true;
        this.#onText(this.#text);
        break;
      case "reasoning-delta":
      case "tool-input-delta":
        this.written += part.delta;
        this.hasBegun = true;
        break;
      case "tool-call":
        this.#toolCalls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
        break;
      case "error":
        this.#error ??= part.error ?? new Error("The server reported an error.");
        break;
      case "finish":
        this.#finish = part.finishReason;
        this.#usage = {
          inputTokens: part.usage.inputTokens.total,
          outputTokens: part.usage.outputTokens.total,
        };
        break;
    }
    return this.written.length > this.#maxCharacters ? "too_long" : undefined;
  }

  /**
   * What the server counted, or our own estimate where it did not, or counted what cannot be. A token has at least one
   * byte, so a count beyond the bytes is cut to them.
   */
  usage(estimate: TokenUsage): TokenUsage {
    const { messages, tools, maxOutputTokens } = this.#request;
    const sent = Buffer.byteLength(JSON.stringify(messages)) + Buffer.byteLength(JSON.stringify(tools));
    const written = Math.max(Buffer.byteLength(this.written), maxOutputTokens);
    return {
      inputTokens: toCount(this.#usage.inputTokens, sent) ?? estimate.inputTokens,
      outputTokens: toCount(this.#usage.outputTokens, written) ?? estimate.outputTokens,
    };
  }

  answer(): ModelAnswer {
    const reason = this.#finish?.unified;
    if (reason === "content-filter") {
      return {
        kind: "refused",
        reason:
          redact(this.#text.trim(), this.#request.server.apiKey) ||
          "The server's content filter ended the answer.",
      };
    }
    if (this.#error !== undefined || reason === "error" || reason === undefined) {
      return {
        kind: "failed",
        reason: describe(this.#error, this.#request.server.apiKey),
        isRetryable: true,
        retryAfterMs: undefined,
      };
    }
    return { kind: "answered", text: this.#text, toolCalls: this.#toolCalls, isCut: reason === "length" };
  }
}

/** A count of a server; undefined if it is none. Nothing is read or written with no token at all. */
const toCount = (counted: number | undefined, most: number): number | undefined =>
  counted !== undefined && Number.isInteger(counted) && counted > 0 ? Math.min(counted, most) : undefined;

/** In the words of the server, or of the connection. Never with the request, which holds data. */
function describe(error: unknown, apiKey: string | null): string {
  if (
    typeof error === "object" &&
    error !== null &&
    "message" in error &&
    typeof error.message === "string"
  ) {
    return redact(error.message, apiKey);
  }
  return "The answer broke off.";
}

interface FailureContext {
  clock: { now(): Date };
  /** Whether the server is in a private network. */
  isPrivate: boolean;
  apiKey: string | null;
}

function toFailure(error: unknown, { clock, isPrivate, apiKey }: FailureContext): ModelAnswer {
  const refusal = findCause(error, RefusedUrlError);
  if (refusal) {
    return { kind: "failed", reason: refusal.message, isRetryable: false, retryAfterMs: undefined };
  }
  const answered = APICallError.isInstance(error) && error.statusCode !== undefined ? error : undefined;
  // The error must not tell the person who chose the URL what else is in the operator's networks.
  const isWithheld = isPrivate && answered?.data === undefined;
  if (!answered) {
    const reason = isWithheld ? withheld : describe(rootOf(error), apiKey);
    return { kind: "failed", reason, isRetryable: true, retryAfterMs: undefined };
  }
  const { statusCode = 0, responseHeaders = {} } = answered;
  const isRetryable = statusCode === 408 || statusCode === 429 || statusCode >= 500 || statusCode < 300;
  const reason = isWithheld ? withheld : `It answered ${statusCode}: ${describe(answered, apiKey)}`;
  if (!isRetryable) return { kind: "refused", reason };
  const retryAfterMs = parseRetryAfter(responseHeaders["retry-after"], clock);
  return { kind: "failed", reason, isRetryable, retryAfterMs };
}

const withheld = "No model answers there.";

function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && depth < 5; depth++) {
    yield at;
    at = at instanceof Error ? at.cause : undefined;
  }
}

function findCause<Kind extends Error>(
  error: unknown,
  kind: new (message: string) => Kind,
): Kind | undefined {
  for (const cause of causesOf(error)) if (cause instanceof kind) return cause;
  return undefined;
}

const rootOf = (error: unknown): unknown => [...causesOf(error)].at(-1);
