import { z } from "zod";
import { AutomationConditionState, StoredAutomationCondition } from "./automation-conditions.ts";
import { StoredRecipients } from "./automation-recipients.ts";
import { Automation, AutomationAgent, defaultModelBudget } from "./automations.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { StoredParameterValues } from "./parameters.ts";
import { RunStatus } from "./runs.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** Why a run of an automation failed. */
const AutomationFailureCode = z.enum([
  "stopped",
  "time_limit",
  "reference_deleted",
  "query_failed",
  "result_too_large",
  "model_missing",
  "model_unreachable",
  "model_refused",
  "budget_used",
  "agent_failed",
  "recipients_failed",
  "agent_lost",
  "not_claimed",
  "worker_lost",
  "internal",
]);

/** `reason` is sent in the event: `stopped`, or a sentence that says what to do. */
export const AutomationFailure = z.object({ code: AutomationFailureCode, reason: z.string() });
export type AutomationFailure = z.infer<typeof AutomationFailure>;

/** The input of an agent: the automation as it was when the run was triggered. */
export const AutomationBrief = z.object({
  name: z.string(),
  instruction: z.string(),
  references: z.array(
    z.object({ id: Id, shortId: z.string(), title: z.string(), parameterValues: StoredParameterValues }),
  ),
  /** The dashboard that it looks at, too. Runs that older releases created have none. */
  dashboard: z.object({ id: Id, title: z.string() }).nullable().default(null),
  timeLimitSeconds: z.int(),
  // Runs that older releases created have no budget.
  budget: z.object({ steps: z.int(), tokens: z.int() }).default(defaultModelBudget),
  /** Whether the agent `model` may run its own SQL. */
  allowsSql: z.boolean().default(false),
  /** Of a trial: the automation with whose last completed run it is compared. */
  comparedWith: Id.optional(),
  /** When it speaks; absent: always. */
  condition: StoredAutomationCondition.optional(),
  /** Who gets rows of a chart; absent: nobody. */
  recipients: StoredRecipients.optional(),
});
export type AutomationBrief = z.infer<typeof AutomationBrief>;

export const AutomationRun = z.object({
  id: Id,
  automationId: Id,
  automationName: z.string(),
  agent: AutomationAgent,
  status: RunStatus,
  triggerId: z.string().describe("What started it: `schedule`, `user:<id>` or `key:<id>`"),
  isTrial: z
    .boolean()
    .describe("Whether it ran values that are not saved: without an event or notifications, and in no list"),
  scheduledFor: Timestamp.nullable().describe("The scheduled time; null if it was triggered"),
  runAt: Timestamp,
  isQueued: z.boolean().describe("Whether it waits for another run of its automation"),
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  summary: z.string().nullable(),
  failure: AutomationFailure.nullable(),
  usage: z
    .object({ modelCalls: z.int(), inputTokens: z.int(), outputTokens: z.int() })
    .nullable()
    .describe("What the agent `model` has used; null for other agents"),
  shortId: z.string().describe("The id of the chat in its permalink, `chatUrl`"),
  chatUrl: z.url(),
});
export type AutomationRun = z.infer<typeof AutomationRun>;

export const AutomationRunId = z.strictObject({ id: Id });
export type AutomationRunId = z.infer<typeof AutomationRunId>;

/** The id in the permalink of a chat. */
export const ChatShortId = z.strictObject({ shortId: Text.max(200) });
export type ChatShortId = z.infer<typeof ChatShortId>;

/** The runs of one automation, or of all. A live list. */
export const ListAutomationRuns = ListPage.extend({ automationId: Id.optional() });
export type ListAutomationRuns = z.infer<typeof ListAutomationRuns>;

/** An automation with its latest runs. */
export const AutomationOverview = Automation.extend({
  latestRun: AutomationRun.nullable().describe("The run that was triggered last; null before the first"),
  latestEndedRun: AutomationRun.nullable().describe("The latest run that has ended"),
  conditionState: AutomationConditionState.nullable().describe("Null for an automation without a condition"),
});
export type AutomationOverview = z.infer<typeof AutomationOverview>;
