import { z } from "zod";
import { AutomationRun } from "./automation-runs.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
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
  name: z.string().describe("Unique in its run"),
  position: z.int().describe("Steps are in the order of their positions, which have gaps"),
  kind: z.enum(["message", "tool_call"]),
  state: AutomationStepState,
  text: z.string(),
  tool: z.string().nullable(),
  input: StoredJson,
  output: StoredJson.describe("What the tool answered; of a result, at most its first 100 rows"),
  queryRunId: Id.nullable().describe("The run of the query behind it"),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type AutomationStep = z.infer<typeof AutomationStep>;

/** A transcript, oldest step first. A live list. */
export const ListSteps = ListPage.extend({ runId: Id });
export type ListSteps = z.infer<typeof ListSteps>;

/** What is new in a chat: the run, and the steps that came or changed since the news before. */
export const ChatNews = z.object({ run: AutomationRun, steps: z.array(AutomationStep) });
export type ChatNews = z.infer<typeof ChatNews>;
