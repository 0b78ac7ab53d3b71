import type { RowChange } from "@querybell/domain/conditions";
import type { JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "@querybell/summaries/result-table";
import type { Judgement } from "../ordinary/judge-series.ts";
import type { SeriesPoint } from "../ordinary/local-times.ts";

/** What a condition is judged by. */
export interface Evidence {
  now: Date;
  /** The result of this run; null if the run failed. */
  result: ResultTable | null;
  /** The last completed result that no limit truncated, before this one. */
  base: ResultTable | null;
  /** Results of other charts, by their short ids. */
  charts: ReadonlyMap<string, ResultTable>;
  /**
   * Judges the figure of this run by those of earlier runs, for `out_of_the_ordinary`. `leaf` is the position of the
   * condition in its rule.
   */
  judge: (leaf: number, point: SeriesPoint) => Judgement;
  /** Whether the rule is met as of the last run, for margins. */
  wasMet: boolean;
}

/** A number that a condition is about, with all its digits, and what it was compared with. */
export interface FigureFact {
  kind: "figure";
  /** For example "sum of revenue". */
  name: string;
  value: string;
  compared: string | null;
  difference: string | null;
  percent: string | null;
}

export interface ChangedRow {
  change: RowChange;
  key: readonly JsonValue[];
  /** The row as it is, and as it was. */
  now: readonly JsonValue[] | null;
  before: readonly JsonValue[] | null;
}

interface RowsFact {
  kind: "rows";
  name: string;
  /** The columns that identify a row. */
  key: readonly string[];
  rows: readonly ChangedRow[];
}

/** Rows of the result, by their positions, that meet a comparison. */
interface MatchesFact {
  kind: "matches";
  name: string;
  positions: readonly number[];
  of: number;
}

interface TextFact {
  kind: "text";
  text: string;
}

export type Fact = FigureFact | RowsFact | MatchesFact | TextFact;

/** Whether a condition holds. Without data it neither holds nor does not. */
export type Outcome =
  | { kind: "met"; facts: Fact[] }
  | { kind: "not_met"; facts: Fact[]; reason: string }
  | { kind: "no_data"; reason: string };

export const noData = (reason: string): Outcome => ({ kind: "no_data", reason });
