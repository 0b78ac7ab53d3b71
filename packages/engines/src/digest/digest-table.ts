import type { Field } from "@querybell/domain";
import type { JsonValue } from "../results/json-value.ts";

/** A result as a digest reads it. */
export interface DigestTable {
  fields: readonly Field[];
  rows: readonly (readonly JsonValue[])[];
  /** A limit cut it short: there are more rows than these. */
  cut: boolean;
}

/** One reference that a run looked at, with what it gave now and in the run before, if there was one. */
export interface ReferenceResult {
  title: string;
  result: DigestTable;
  previous: DigestTable | null;
}
