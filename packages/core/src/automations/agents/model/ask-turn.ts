import { setTimeout as sleep } from "node:timers/promises";
import { type AutomationFailure, cutText, toStorable } from "@querybell/domain";
import {
  askModel,
  estimateRequest,
  type ModelMessage,
  type ModelServer,
  type ModelTool,
} from "@querybell/models";
import { writeStep } from "../../runs/write-step.ts";
import type { ToolWork } from "../tools/tool-call.ts";
import { extendReservation, reserveTokens, settleTokens } from "./tokens.ts";
import { type Turn, turnName } from "./turns.ts";

interface Question {
  number: number;
  server: ModelServer;
  monthlyTokens: number;
  messages: ModelMessage[];
  tools: ModelTool[];
}

type AnsweredTurn = { kind: "answered"; turn: Turn } | { kind: "failed"; failure: AutomationFailure };

/** Asks the model for its next turn: streams its text into the chat, and records what it said and used. */
export async function askTurn(work: ToolWork, question: Question): Promise<AnsweredTurn> {
  const { deps, run } = work;
  const { number, server, monthlyTokens, messages, tools } = question;
  const name = turnName(number);
  const inputTokens = estimateRequest(messages, tools);
  const reservation = await reserveTokens(work, name, { inputTokens, monthlyTokens });
  if (reservation.kind === "failed") return reservation;
  let { reserved } = reservation;
  const { outputTokens } = reserved;

  const lost = new AbortController();
  const stream = streamText({
    async write(text) {
      const step = { name, kind: "message", state: "running", text } as const;
      await writeStep(deps, run, step);
    },
    onError: (error) => lost.abort(error),
  });
  let received = "";
  const asked = await askModel(
    { server, messages, tools, maxOutputTokens: outputTokens },
    {
      guard: deps.models.guard,
      limits: deps.models.limits,
      clock: deps.clock,
      signal: AbortSignal.any([work.signal, lost.signal]),
      deadline: run.deadlineAt,
      async mayRetry(used) {
        // The tokens of broken answers are used up, so the next attempt needs its tokens in addition.
        const needed = used.inputTokens + used.outputTokens + inputTokens + outputTokens;
        const more = needed - reserved.inputTokens - reserved.outputTokens;
        if (more <= 0) return true;
        const extended = await extendReservation(work, { name, reserved, more, monthlyTokens });
        if (extended) reserved = extended;
        return extended !== undefined;
      },
      onText(text) {
        received = toStorable(cutText(text, maxTextLength));
        stream.add(received);
      },
    },
  ).finally(() => stream.stop());
  const { usage, calls } = asked;
  const toolCalls = (asked.kind === "answered" ? asked.toolCalls : []).slice(0, maxCalls).map((call) => ({
    id: toStorable(call.id.slice(0, 200)),
    name: toStorable(call.name.slice(0, 100)),
    input: toStorable(call.input),
  }));
  const step = {
    name,
    kind: "message",
    state: asked.kind === "answered" ? "completed" : "failed",
    text: received,
    output: asked.kind === "answered" ? { toolCalls } : { reserved },
  } as const;
  await settleTokens(work, step, { reserved, usage, calls });
  switch (asked.kind) {
    case "answered":
      return { kind: "answered", turn: { number, text: received, toolCalls } };
    case "too_long":
      return failed(
        "budget_used",
        `The model wrote more than the ${outputTokens} tokens that an answer may have.`,
      );
    case "refused":
      return failed("model_refused", `The model refused: ${asked.reason}`);
    case "failed":
      return failed(
        "model_unreachable",
        `The model could not be reached: ${asked.reason} Trigger the automation again later, or ask an admin to test the model under Settings.`,
      );
  }
}

const maxTextLength = 20_000;
/** The maximum number of tool calls in one turn. */
const maxCalls = 8;

const failed = (code: AutomationFailure["code"], reason: string) => ({
  kind: "failed" as const,
  failure: { code, reason: toStorable(cutText(reason, 1_000)) },
});

interface StreamOptions {
  write: (text: string) => Promise<void>;
  /** Called when a write fails, which happens when the lease is lost. */
  onError: (error: unknown) => void;
}

const writeEveryMs = 250;

/** Writes a growing text to a step: the latest text, one write at a time, a few times a second. */
function streamText({ write, onError }: StreamOptions) {
  const stopping = new AbortController();
  let latest = "";
  let written = "";
  let writing: Promise<void> | undefined;

  async function writeLatest(): Promise<void> {
    try {
      while (latest !== written && !stopping.signal.aborted) {
        written = latest;
        await write(written);
        await sleep(writeEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    } catch (error) {
      onError(error);
    } finally {
      writing = undefined;
    }
  }

  return {
    add(text: string): void {
      latest = text;
      writing ??= writeLatest();
    },
    /** Waits for the write under way. Nothing is written after it. */
    async stop(): Promise<void> {
      stopping.abort();
      await writing;
    },
  };
}
