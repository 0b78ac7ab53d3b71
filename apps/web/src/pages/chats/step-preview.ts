import { CheckedSummary, ResultPreview } from "@querybell/domain";

/** The first rows of a result, where a step's output is that. External agents may have written anything. */
export function readPreview(output: unknown): ResultPreview | undefined {
  const { data } = ResultPreview.safeParse(output);
  return data && data.fields.length > 0 ? data : undefined;
}

/** A summary with what the check found, where a step's output is that. */
export const readCheckedSummary = (output: unknown): CheckedSummary | undefined =>
  CheckedSummary.safeParse(output).data;
