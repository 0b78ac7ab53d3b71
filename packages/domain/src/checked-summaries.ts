import { z } from "zod";

/** Where a part of a sentence comes from. */
const CheckedSource = z.object({
  step: z.string().nullable().describe("The name of the step that ran the query; null for the run before"),
  title: z.string().describe("Of the reference, or of the model's own SQL"),
  isOwnSql: z.boolean().default(false).describe("Whether the model wrote the SQL"),
  column: z.string().nullable(),
  rows: z.array(z.int()).max(100).describe("The first of its rows, counted from 1"),
});

const CheckedPart = z.object({
  start: z.int(),
  end: z.int(),
  sources: z.array(CheckedSource).max(2),
});

export const CheckedSentence = z.object({
  text: z.string(),
  problems: z.array(z.string()).describe("Why it is not part of the summary; empty if it is"),
  parts: z.array(CheckedPart).describe("Its numbers, dates and names of rows, with their places in the text"),
});
export type CheckedSentence = z.infer<typeof CheckedSentence>;

/** A summary as the agent `model` proposed it, checked against the results: the output of a `write_summary` step. */
export const CheckedSummary = z.object({ checkedSentences: z.array(CheckedSentence) });
export type CheckedSummary = z.infer<typeof CheckedSummary>;
