import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describeError, redact, toFailure } from "./failures.ts";
import { createGuardedFetch, type FetchLimits, type ModelGuard, type ModelServer } from "./guarded-fetch.ts";
import {
  estimateRequest,
  estimateTokens,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
  toFunctionTool,
  toPrompt,
} from "./messages.ts";

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

const none: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Makes one request and reads its answer as it comes. Throws only the reason of an aborted signal. */
export async function streamAnswer(
  modelRequest: ModelRequest,
  options: StreamOptions,
): Promise<ModelAnswer & { usage: TokenUsage }> {
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
    // A token rarely has more characters. Servers should enforce the limit themselves; some do not.
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
   * The server's count, or our estimate if the count is missing or impossible. A token has at least one byte,
   * so a count cannot exceed the number of bytes.
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
        reason: describeError(this.#error, this.#request.server.apiKey),
        isRetryable: true,
        retryAfterMs: undefined,
      };
    }
    return { kind: "answered", text: this.#text, toolCalls: this.#toolCalls, isCut: reason === "length" };
  }
}

/** The count of a server, limited to `most`. Undefined unless it is a positive integer. */
const toCount = (counted: number | undefined, most: number): number | undefined =>
  counted !== undefined && Number.isInteger(counted) && counted > 0 ? Math.min(counted, most) : undefined;
