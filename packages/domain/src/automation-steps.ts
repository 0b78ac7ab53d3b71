import { z } from "zod";
import { AutomationRun } from "./automation-runs.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Timestamp } from "./time.ts";

/** The maximum number of steps in a transcript. */
export const maxSteps = 500;

/** The names of the steps that the service writes itself. Agents cannot use them. */
export const ownSteps = { instruction: "instruction", summary: "summary" } as const;

export const AutomationStepState = z.enum(["running", "completed", "failed"]);

/**
 * Stored JSON, which is not validated again: a page of previews has some hundred thousand cells, and `z.json()` takes
 * longer for them than everything else together.
 */
const StoredJson = z.custom<z.infer<ReturnType<typeof z.json>>>((value) => value !== undefined);

/** A message, or a tool call with its result. Its text may grow while its state is `running`. */
export const AutomationStep = z.object({
  id: Id,
  name: z.string().describe("Unique in its run"),
  position: z.int().describe("The order of the steps; positions have gaps"),
  kind: z.enum(["message", "tool_call"]),
  state: AutomationStepState,
  text: z.string(),
  tool: z.string().nullable(),
  input: StoredJson,
  output: StoredJson.describe("The result of the tool; at most the first 100 rows of a query's result"),
  queryRunId: Id.nullable().describe("The query run that the tool started"),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type AutomationStep = z.infer<typeof AutomationStep>;

/** A transcript, oldest step first. A live list. */
export const ListSteps = ListPage.extend({ runId: Id });
export type ListSteps = z.infer<typeof ListSteps>;

/** An update of a chat: the run, and the steps created or changed since the previous update. */
export const ChatUpdate = z.object({ run: AutomationRun, steps: z.array(AutomationStep) });
export type ChatUpdate = z.infer<typeof ChatUpdate>;

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
  // Steps of older releases have neither of the following fields.
  text: z.string().default("").describe("The sentences that are published; empty if there is none"),
  readResults: z.string().optional().describe("Which results were read"),
});
export type CheckedSummary = z.infer<typeof CheckedSummary>;
