import type { CheckedSummary } from "@querybell/domain";
import type { ToolWork } from "../tools/tool-work.ts";
import type { KnownResults } from "./known-results.ts";
import { toPlain } from "./plain-data.ts";

/** What the calls of one run share. */
export interface CallContext {
  work: ToolWork;
  results: KnownResults;
}

export interface CallAnswer {
  /** What the model is told. */
  text: string;
  /** Of a call of write_summary. */
  summary?: CheckedSummary;
}

/** Tells the model what went wrong, so that it can call again. */
export const toProblem = (reason: string): CallAnswer => ({
  text: JSON.stringify({ problem: toPlain(reason, 1_000) }),
});
