import type { JudgedRun, JudgeTask, ReplayedResults, ReplayTask } from "@querybell/conditions";
import { type ComparisonOutcome, type ComparisonTask, DatabaseLimits } from "@querybell/domain";
import type { OperationAnswer, ResultOperation } from "@querybell/summaries/operations";
import { type ChangedRows, checkChangedRows } from "./changed-rows.ts";
import { noFiles } from "./database-files.ts";
import type { InputPiece, SendOptions, WaitOptions } from "./engine-host.ts";
import { unexpectedAnswer } from "./failures.ts";
import { HostSlots } from "./host-slots.ts";
import type { Hosts } from "./hosts.ts";
import type { EngineFailure } from "./messages.ts";

export interface ComputeRequest<Name extends ResultOperation["name"]> {
  organizationId: string;
  operation: Extract<ResultOperation, { name: Name }>;
  results: StoredResult[];
}

/** A stored, compressed result. Read in pieces, so that this process never holds all of it. */
export interface StoredResult {
  /** Whether a limit truncated it. */
  cut: boolean;
  read(): AsyncIterable<Uint8Array>;
}

export type ComputeOutcome<Name extends ResultOperation["name"]> =
  | { kind: "computed"; answer: Extract<OperationAnswer, { name: Name }> }
  | { kind: "failed"; failure: EngineFailure };

interface CompareRequest {
  organizationId: string;
  comparison: ComparisonTask;
  /** The earlier result and the newer one: JSON, or that compressed with gzip. */
  results: [StoredResult, StoredResult];
}

/** `file`: the pieces of a compressed result with all rows that differ, if it was asked for. */
type CompareOutcome =
  | { kind: "answered"; outcome: ComparisonOutcome; file: Uint8Array[] }
  | { kind: "failed"; failure: EngineFailure };

interface JudgeRequest {
  organizationId: string;
  judging: JudgeTask;
  /** The inputs of the task, in their order. */
  results: StoredResult[];
}

type JudgeOutcome =
  | { kind: "judged"; judged: JudgedRun; changedRows: ChangedRows | null }
  | { kind: "failed"; failure: EngineFailure };

interface ReplayRequest {
  organizationId: string;
  replay: ReplayTask;
  /** JSON, not compressed, oldest first. */
  results: StoredResult[];
}

type ReplayOutcome =
  | { kind: "replayed"; replayed: ReplayedResults }
  | { kind: "failed"; failure: EngineFailure };

export interface ComputingHosts {
  /** Tries a condition on past results, outside of this process. */
  replayCondition(request: ReplayRequest, options?: WaitOptions): Promise<ReplayOutcome>;
  /** Judges a run by its condition, outside of this process. */
  judgeRun(request: JudgeRequest, options?: WaitOptions): Promise<JudgeOutcome>;
  /** Compares two stored results, outside of this process. */
  compareResults(request: CompareRequest, options?: WaitOptions): Promise<CompareOutcome>;
  /** Computes from stored results, outside of this process: see `ResultOperation`. */
  compute<Name extends ResultOperation["name"]>(
    request: ComputeRequest<Name>,
    options?: WaitOptions,
  ): Promise<ComputeOutcome<Name>>;
  close(): void;
}

const size = 2;
// Seconds on a quiet machine. A host that computes for long has a low priority, so on a busy one it takes minutes.
const limits = DatabaseLimits.parse({ timeMs: 300_000 });

const comparisonLimits = DatabaseLimits.parse({ timeMs: 60_000, bytes: 64 * 1024 ** 2 });

/** The hosts that compute from results. Their slots are separate, so that they never wait for slow queries. */
export function createComputingHosts(hosts: Hosts): ComputingHosts {
  const slots = new HostSlots({ hosts, size });
  return {
    async compute({ organizationId, operation, results }, { signal } = {}) {
      const cuts = results.map(({ cut }) => cut);
      const input = readPieces(results, signal);
      const { answer } = await slots.runTask(
        { task: { kind: "compute", organizationId, operation, cuts, limits }, files: noFiles },
        input,
      );
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "computed" || !isAnswerTo(operation.name, answer.answer)) {
        throw unexpectedAnswer(answer.kind);
      }
      return { kind: "computed", answer: answer.answer };
    },

    async compareResults({ organizationId, comparison, results }, { signal } = {}) {
      const input = readPieces(results, signal);
      const task = { kind: "compare_results", organizationId, comparison, limits: comparisonLimits } as const;
      const { answer, chunks } = await slots.runTask({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "results_compared") throw unexpectedAnswer(answer.kind);
      return { kind: "answered", outcome: answer.outcome, file: chunks };
    },

    async judgeRun({ organizationId, judging, results }, { signal } = {}) {
      const input = readPieces(results, signal);
      const task = { kind: "judge_run", organizationId, judging, limits } as const;
      const { answer, chunks } = await slots.runTask({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "run_judged") throw unexpectedAnswer(answer.kind);
      const { judged } = answer;
      return { kind: "judged", judged, changedRows: await checkChangedRows(judged.changedRows, chunks) };
    },

    async replayCondition({ organizationId, replay, results }, { signal } = {}) {
      const input = readPieces(results, signal);
      const task = { kind: "replay_condition", organizationId, replay, limits: comparisonLimits } as const;
      const { answer } = await slots.runTask({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "condition_replayed") throw unexpectedAnswer(answer.kind);
      const { replayed } = answer;
      if (replayed.points.length !== results.length) throw unexpectedAnswer(answer.kind);
      return { kind: "replayed", replayed };
    },

    close: () => slots.close(),
  };
}

const isAnswerTo = <Name extends ResultOperation["name"]>(
  name: Name,
  answer: OperationAnswer,
): answer is Extract<OperationAnswer, { name: Name }> => answer.name === name;

/**
 * The pieces of several stored results, one result after the other. If one cannot be read, the task is aborted and
 * `throwIfUnreadable` throws the reason.
 */
export function readPieces(
  results: readonly StoredResult[],
  callerSignal: AbortSignal | undefined,
): SendOptions & { throwIfUnreadable(): void } {
  const unreadable = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, unreadable.signal]) : unreadable.signal;
  return {
    signal,
    async *input(): AsyncGenerator<InputPiece> {
      try {
        for (const [position, result] of results.entries()) {
          for await (const bytes of result.read()) yield { position, bytes };
        }
      } catch (error) {
        unreadable.abort(error);
      }
    },
    throwIfUnreadable: () => unreadable.signal.throwIfAborted(),
  };
}
