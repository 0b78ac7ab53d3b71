import type { AutomationBrief, AutomationFailure, CheckedSummary } from "@querybell/domain";
import type { ModelMessage } from "@querybell/models";
import { findModel } from "../../../models/find-model.ts";
import type { AutomationEnd } from "../../runs/end-automation-run.ts";
import type { Agent } from "../agent.ts";
import type { ToolWork } from "../tools/tool-call.ts";
import { askTurn } from "./ask-turn.ts";
import type { CallAnswer } from "./call-answers.ts";
import { callTool, type PreparedCall, prepareCall } from "./call-tool.ts";
import { toCorrections } from "./check-summary.ts";
import { type CallContext, KnownResults } from "./known-results.ts";
import { fewStepsLeft, toolsFor, toSystemPrompt, withoutSummary } from "./model-tools.ts";
import { readTurns, type Turn, turnName } from "./turns.ts";

/** How often the model may correct its summary. */
const maxCorrections = 2;
/** How often the model may answer without calling a tool. */
const maxIdleTurns = 2;

const failed = (code: AutomationFailure["code"], reason: string): AutomationEnd => ({
  kind: "failed",
  failure: { code, reason },
});

/**
 * A language model that reads results through tools and writes a summary. Each of its turns and calls is a step, so a
 * worker that takes the run over repeats the conversation from the steps and continues after the last one.
 */
export const createModelAgent =
  (work: ToolWork): Agent =>
  async ({ brief }) => {
    const model = await findModel(work.deps, work.run);
    if (model.kind === "missing") return failed("model_missing", model.reason);
    const { turns, next } = await readTurns(work);
    const conversation = new Conversation(work, brief);
    let number = next;
    for (;;) {
      work.signal.throwIfAborted();
      let turn = turns.shift();
      if (!turn) {
        if (conversation.stepsLeft < 1) return failed("budget_used", stepsUsed(brief));
        const asked = await askTurn(work, {
          number: number++,
          server: model.server,
          monthlyTokens: model.monthlyTokens,
          messages: conversation.messages,
          tools: toolsFor(brief),
        });
        if (asked.kind === "failed") return asked;
        turn = asked.turn;
      }
      const end = await conversation.takeTurn(turn);
      if (end) return end;
    }
  };

const stepsUsed = ({ budget }: AutomationBrief): string =>
  `The model has used the ${budget.steps} steps that a run may have. Give the automation more, or ask for less.`;

/** The messages so far, and what has been used and read. */
class Conversation {
  readonly messages: ModelMessage[];
  readonly #context: CallContext;
  readonly #maxSteps: number;
  #steps = 0;
  #summaries = 0;
  #idleTurns = 0;

  constructor(work: ToolWork, { instruction, budget, allowsSql }: AutomationBrief) {
    this.#context = { work, results: new KnownResults() };
    this.#maxSteps = budget.steps;
    this.messages = [
      { role: "system", text: toSystemPrompt({ allowsSql }) },
      { role: "user", text: instruction },
    ];
  }

  get stepsLeft(): number {
    return this.#maxSteps - this.#steps;
  }

  /** Calls the tools of a turn and adds both to the messages. Returns how the run ends, if it does. */
  async takeTurn(turn: Turn): Promise<AutomationEnd | undefined> {
    const { text, toolCalls } = turn;
    this.#steps++;
    if (toolCalls.length === 0) return this.#remind(text);
    const prepared = toolCalls.map((call, index) =>
      prepareCall(this.#context, call, `${turnName(turn.number)}.${index + 1}`),
    );
    const allowed = prepared.slice(0, Math.max(this.stepsLeft, 0));
    this.#steps += allowed.length;
    const answers = await this.#callTools(allowed);
    const results = prepared.map(({ call: { id, name } }, index) => {
      const answer = answers[index];
      return {
        id,
        name,
        text: answer ? answer.text : "It was not called: no steps are left.",
        summary: answer?.summary,
      };
    });
    for (const result of results) {
      if (!result.summary) continue;
      const next = this.#endOrCorrect(result.summary);
      if (typeof next === "object") return next;
      result.text = next;
    }
    this.messages.push(
      { role: "assistant", text, toolCalls },
      { role: "tool", results: results.map(({ id, name, text }) => ({ id, name, text })) },
    );
    if (this.stepsLeft <= 3) this.messages.push({ role: "user", text: fewStepsLeft(this.stepsLeft) });
    return undefined;
  }

  /** Calls tools concurrently. Equal queries have one step and are run once. */
  #callTools(calls: PreparedCall[]): Promise<CallAnswer[]> {
    const answers = new Map<string, Promise<CallAnswer>>();
    return Promise.all(
      calls.map((call) => {
        const answer = answers.get(call.stepName) ?? callTool(this.#context, call);
        answers.set(call.stepName, answer);
        return answer;
      }),
    );
  }

  /** Ends the run with a summary, or says what to correct. After two corrections, wrong sentences are left out. */
  #endOrCorrect(summary: CheckedSummary): AutomationEnd | string {
    const corrections = toCorrections(summary);
    if (corrections !== null && this.#summaries++ < maxCorrections && this.stepsLeft > 0) return corrections;
    if (summary.text) return { kind: "completed", summary: summary.text };
    // A summary without a sentence says only what was read. If sentences were struck, the run has failed.
    return summary.checkedSentences.length === 0 && summary.readResults
      ? { kind: "completed", summary: summary.readResults }
      : failed("agent_failed", nothingChecked);
  }

  #remind(text: string): AutomationEnd | undefined {
    if (++this.#idleTurns > maxIdleTurns) {
      return failed(
        "model_refused",
        "The model answered three times without writing a summary. Word the instruction in another way.",
      );
    }
    if (text !== "") this.messages.push({ role: "assistant", text, toolCalls: [] });
    this.messages.push({ role: "user", text: withoutSummary });
    return undefined;
  }
}

const nothingChecked =
  "Every sentence that the model wrote was struck, so there is no summary. The chat shows the sentences and why. Word the instruction in another way, or use another model.";
