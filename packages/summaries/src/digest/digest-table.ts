import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";

/** A result that a digest is written about. */
export interface DigestTable {
  fields: readonly Field[];
  rows: readonly (readonly JsonValue[])[];
  /** Whether a limit truncated it. */
  cut: boolean;
  /** Whether a model has named its columns. They are written in quotation marks then, so that no name reads as a claim. */
  isNamedByModel?: boolean | undefined;
}

/** A reference of a run, with its result and the result of the previous run, if there was one. */
export interface ReferenceResult {
  title: string;
  result: DigestTable;
  previous: DigestTable | null;
  /** The day of the run, by which a month that is not over is recognised: 2026-11-16. */
  today: string;
  /** The columns that its chart shows, of which the digest speaks first. */
  shownColumns: readonly string[];
}

/** The results that sentences are about, of this run and of the last one. */
export interface Tables {
  now: DigestTable;
  /** Of the run before, if it can be compared and is not the same. */
  before: DigestTable | null;
}
