import type { AutomationBrief, AutomationFailure, DatabaseTable, ParameterValues } from "@querybell/domain";
import type { Report } from "@querybell/engines";
import type { z } from "zod";
import type { AutomationEnd } from "../runs/end-automation-runs.ts";
import type { StepWrite } from "../runs/write-step.ts";

/**
 * Does the work of a run: looks at things through its tools, writes down what it does, and returns a summary or
 * a failure. A run can be begun again by another worker, with an agent that knows nothing of the first: calls
 * and messages that had ended are found again by their names, so an agent gives equal names to equal work.
 */
export type Agent = (work: AgentWork) => Promise<AutomationEnd>;

interface AgentWork {
  brief: AutomationBrief;
  tools: AgentTools;
  /** Says what is in a result and what has changed. Computed outside of the worker, however large the result is. */
  describe: (looked: ReferenceResult) => Promise<ToolOutcome<Report>>;
  transcript: Transcript;
  budget: Budget;
  /** Aborted when the run is over, or to go on elsewhere. What the agent returns after that counts for nothing. */
  signal: AbortSignal;
}

interface Budget {
  /** How many steps a transcript may have: calls and messages. */
  steps: number;
  /** When the run fails if it has not ended. */
  deadline: Date;
}

interface Transcript {
  /** A message. While its state is running it can be written again under its name: that is how one streams. */
  say(message: Pick<StepWrite, "name" | "state" | "text">): Promise<void>;
}

/** Described so that a language model can be told of it, too. Every call is a step of the transcript. */
interface Tool<Input, Answer> {
  description: string;
  input: z.ZodType<Input>;
  call(name: string, input: Input): Promise<ToolOutcome<Answer>>;
}

/** What went wrong is for the agent to judge. */
export type ToolOutcome<Answer> =
  | { kind: "answered"; answer: Answer }
  | { kind: "failed"; failure: AutomationFailure };

export interface AgentTools {
  list_references: Tool<Record<string, never>, ListedReference[]>;
  run_query: Tool<RunReference, QueryAnswer>;
  describe_schema: Tool<{ shortId: string }, DatabaseTable[]>;
}

interface ListedReference {
  shortId: string;
  title: string;
  description: string | null;
  parameterValues: ParameterValues;
}

export interface RunReference {
  shortId: string;
  parameterValues: ParameterValues;
}

/** A result that is kept with a step. Agents do not hold results: they ask for what they need to know of one. */
export interface KeptResult {
  stepId: string;
  /** Whether a limit cut it short. */
  cut: boolean;
}

export interface QueryAnswer {
  queryRunId: string;
  result: KeptResult;
  /** What the same call found in the automation's last completed run. */
  previous: KeptResult | null;
}

/** One reference that a run looked at, with what it gave now and in the run before, if there was one. */
export interface ReferenceResult extends Pick<QueryAnswer, "result" | "previous"> {
  title: string;
}
