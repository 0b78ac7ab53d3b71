import { z } from "zod";
import { AutomationRun } from "./automation-runs.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Timestamp } from "./timestamp.ts";

/** The maximum number of steps in a transcript. */
export const maxSteps = 500;

/** The names of the steps that the service writes itself. Agents cannot use them. */
export const ownSteps = { instruction: "instruction", summary: "summary" } as const;

export const AutomationStepState = z.enum(["running", "completed", "failed"]);
export type AutomationStepState = z.infer<typeof AutomationStepState>;

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
