import type { AutomationBrief, AutomationFailure, DatabaseTable, ParameterValues } from "@querybell/domain";
import type { Report } from "@querybell/summaries";
import type { AutomationEnd } from "../runs/end-automation-run.ts";
import type { StepWrite } from "../runs/write-step.ts";

/**
 * Executes a run: reads data through its tools, records steps, and returns a summary or a failure. When another worker
 * takes the run over, the agent starts again without state. Steps that had ended are found by name, so an agent must
 * give equal work equal names.
 */
export type Agent = (work: AgentWork) => Promise<AutomationEnd>;

interface AgentWork {
  brief: AutomationBrief;
  tools: AgentTools;
  /** Describes a result and its changes since the previous run. Computed in an engine host, not in the worker. */
  describe: (result: ReferenceResult) => Promise<ToolOutcome<Report>>;
  transcript: Transcript;
  budget: Budget;
  /** Aborted when the run has ended or is released. What the agent returns after that is ignored. */
  signal: AbortSignal;
}

interface Budget {
  /** The maximum number of steps (calls and messages) in a transcript. */
  steps: number;
  /** An unfinished run fails at this time. */
  deadline: Date;
}

interface Transcript {
  /** Writes a message. To stream it, write it again under the same name while its state is `running`. */
  say(message: Pick<StepWrite, "name" | "state" | "text">): Promise<void>;
}

/** Every call is a step of the transcript, with the given name. */
interface Tool<Input, Answer> {
  call(name: string, input: Input): Promise<ToolOutcome<Answer>>;
}

/** A failure is returned, not thrown: the agent decides whether the run fails. */
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

/** A result stored with a step. Agents get this handle and not the rows. */
export interface StepResult {
  stepId: string;
  /** Whether a limit truncated it. */
  cut: boolean;
  /** A hash of the rights with which it was made; null if they are not known. Results of other rights are not compared. */
  rightsHash: Buffer | null;
  /** Its compressed bytes, if they are few and this worker has read or stored them. */
  bytes?: Buffer | undefined;
}

export interface QueryAnswer {
  queryRunId: string;
  result: StepResult;
  /** The result of the same call in the automation's last completed run. */
  previous: StepResult | null;
}

/** The result of a reference in this run and, if there is one, in the previous run. */
export interface ReferenceResult extends Pick<QueryAnswer, "result" | "previous"> {
  /** The short id of the reference, whose chart shows which columns matter. */
  shortId: string;
  title: string;
}
