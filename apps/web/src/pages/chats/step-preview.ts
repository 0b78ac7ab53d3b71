import { CheckedSummary, ResultPreview } from "@querybell/domain";

/** Parses a step's output as a result preview. Undefined if it is not one: external agents may write any JSON. */
export function readPreview(output: unknown): ResultPreview | undefined {
  const { data } = ResultPreview.safeParse(output);
  return data && data.fields.length > 0 ? data : undefined;
}

/** Parses a step's output as a checked summary. Undefined if it is not one. */
export const readCheckedSummary = (output: unknown): CheckedSummary | undefined =>
  CheckedSummary.safeParse(output).data;
