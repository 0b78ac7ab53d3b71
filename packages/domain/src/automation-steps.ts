import { z } from "zod";
import { AutomationRun } from "./automation-runs.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Field } from "./results.ts";
import { Timestamp } from "./timestamp.ts";

/** How many steps a transcript may have. */
export const maxSteps = 500;

/** The steps that every transcript has of its own: no agent writes one of these. */
export const ownSteps = { instruction: "instruction", summary: "summary" } as const;

export const AutomationStepState = z.enum(["running", "completed", "failed"]);
export type AutomationStepState = z.infer<typeof AutomationStepState>;

/**
 * JSON that we have stored, which is not looked through again: a page of previews has some hundred thousand cells,
 * and `z.json()` takes longer for them than everything else together.
 */
const StoredJson = z.custom<z.infer<ReturnType<typeof z.json>>>((value) => value !== undefined);

/** A message, or a call of a tool with what came of it. While it is running its text may still grow. */
export const AutomationStep = z.object({
  id: Id,
  /** Unique in its run. */
  name: z.string(),
  /** Steps are in the order of their positions, which have gaps. */
  position: z.int(),
  kind: z.enum(["message", "tool_call"]),
  state: AutomationStepState,
  text: z.string(),
  tool: z.string().nullable(),
  input: StoredJson,
  /** What the tool answered; of a result, at most its first 100 rows. */
  output: StoredJson,
  /** The run of the query behind it. */
  queryRunId: Id.nullable(),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type AutomationStep = z.infer<typeof AutomationStep>;

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
  /** Of the whole result. */
  rowCount: z.int(),
  /** Whether a limit cut the result itself short. */
  cut: z.boolean(),
});
export type ResultPreview = z.infer<typeof ResultPreview>;

/** A transcript, oldest step first. A live list. */
export const ListSteps = ListPage.extend({ runId: Id });
export type ListSteps = z.infer<typeof ListSteps>;

/** What is new in a chat: the run, and the steps that came or changed since the news before. */
export const ChatNews = z.object({ run: AutomationRun, steps: z.array(AutomationStep) });
export type ChatNews = z.infer<typeof ChatNews>;
