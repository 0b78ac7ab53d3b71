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
  text: z.string().describe("As it is published; if it was struck, as the model wrote it"),
  problems: z.array(z.string()).describe("Why it is struck; empty if it is part of the summary"),
  parts: z.array(CheckedPart).describe("Its values, with their places in the text"),
});
export type CheckedSentence = z.infer<typeof CheckedSentence>;

/** A summary as the agent `model` proposed it, checked against the results: the output of a `write_summary` step. */
export const CheckedSummary = z.object({
  checkedSentences: z.array(CheckedSentence),
  // Steps from before there were slots have neither.
  text: z.string().default("").describe("The sentences that are published; empty if there is none"),
  readResults: z.string().optional().describe("Which results were read"),
});
export type CheckedSummary = z.infer<typeof CheckedSummary>;
