import { z } from "zod";
import { Field } from "./results.ts";

/** How much of a result a step shows. */
export const previewLimits = { rows: 100, columns: 100, textCharacters: 100 } as const;

// A text that was cut ends with an ellipsis.
const PreviewText = z.string().max(previewLimits.textCharacters + 1);

/**
 * The first rows of a result, as the step that found it keeps them for ever: the result itself is replaced by newer
 * ones. Enough for the chart of a small result, and bounded, since whoever watches a run is sent it with each change
 * of its step.
 */
export const ResultPreview = z.object({
  fields: z.array(Field.extend({ name: PreviewText })).max(previewLimits.columns),
  rows: z
    .array(z.array(z.union([PreviewText, z.number(), z.boolean(), z.null()])).max(previewLimits.columns))
    .max(previewLimits.rows),
  rowCount: z.int().describe("The number of rows of the whole result"),
  cut: z.boolean().describe("Whether a limit cut the result itself short"),
});
export type ResultPreview = z.infer<typeof ResultPreview>;
