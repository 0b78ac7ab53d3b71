import { z } from "zod";
import { AutomationCondition } from "./automation-conditions.ts";
import { AutomationRecipients, StoredRecipients } from "./automation-recipients.ts";
import { ConditionRule } from "./conditions.ts";
import { ChosenDestination, DestinationChoice, DestinationEvent } from "./destinations.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterValues, StoredParameterValues } from "./parameters.ts";
import { Schedule } from "./schedules/schedule.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** Who executes a run: the built-in `digest` agent, a language `model`, or an external process that claims it. */
export const AutomationAgent = z.enum(["digest", "model", "external"]);
export type AutomationAgent = z.infer<typeof AutomationAgent>;

/** Whether a run that is triggered while another is unfinished is queued or rejected. */
const WhenBusy = z.enum(["queue", "refuse"]);

/** The maximum number of queued runs of one automation, besides the one that is ready or running. */
export const maxQueuedRuns = 10;

/** The maximum size of the values of all references, as JSON. Lists show them, and every run stores them. */
const maxAutomationValueCharacters = 20_000;

/** The maximum that one run of the agent `model` may use. Its time is limited like that of every run. */
export const ModelBudget = z.strictObject({
  steps: z
    .int()
    .min(3, "must be at least 3")
    .max(100, "must be at most 100")
    .describe("Answers of the model and calls of tools"),
  tokens: z
    .int()
    .min(2_000, "must be at least 2000")
    .max(2_000_000, "must be at most 2000000")
    .describe("Input and output tokens of the model"),
});
export type ModelBudget = z.infer<typeof ModelBudget>;

export const defaultModelBudget: ModelBudget = { steps: 30, tokens: 100_000 };

const AutomationReference = z.strictObject({
  shortId: Text.max(200),
  parameterValues: ParameterValues.default({}).describe(
    "As in `queries.run`; a relative date is resolved at each run",
  ),
});

/** A member who is notified of the end of runs: by which channels, and of which outcomes. */
export const AutomationSubscriber = z.object({
  userId: Id,
  inApp: z.boolean(),
  byMail: z.boolean(),
  onFailure: z.boolean(),
  onSummary: z.boolean().describe("Whether to notify of completed runs, with the summary"),
});
export type AutomationSubscriber = z.infer<typeof AutomationSubscriber>;

const ChosenSubscriber = z
  .strictObject(AutomationSubscriber.shape)
  .refine(({ inApp, byMail }) => inApp || byMail, "must be told in the app, by mail, or both")
  .refine(
    ({ onFailure, onSummary }) => onFailure || onSummary,
    "must be told of failures, summaries, or both",
  );

const content = {
  name: nameUpTo(200),
  instruction: Text.trim()
    .min(1, "must not be empty")
    .max(10_000, "must have at most 10000 characters")
    .describe("What the agent should do"),
  references: z
    .array(AutomationReference)
    .max(20, "must be at most 20")
    .refine(
      (references) => new Set(references.map((one) => JSON.stringify(one))).size === references.length,
      "must not repeat a reference with the same values",
    )
    .refine(
      (references) =>
        JSON.stringify(references.map(({ parameterValues }) => parameterValues)).length <=
        maxAutomationValueCharacters,
      `must have parameter values of at most ${maxAutomationValueCharacters} characters in all, as JSON`,
    ),
  dashboardId: Id.nullable().describe(
    "A dashboard that each run refreshes and looks at, with the defaults of its filters: all its charts are of one moment. Without one, at least one reference is needed. Not for external agents",
  ),
  agent: AutomationAgent.describe(
    "`digest`: Querybell executes the runs; `model`: a language model does, and Querybell checks it; `external`: a program claims them over the API",
  ),
  budget: ModelBudget.describe("What one run of the agent `model` may use"),
  allowsSql: z
    .boolean()
    .describe(
      "Whether the agent `model` may also run its own SQL: read-only, on the databases of the references",
    ),
  schedule: Schedule.nullable()
    .meta({ examples: [{ cron: "0 9 * * *", timeZone: "Europe/Berlin" }] })
    .describe("Null: only on demand"),
  enabled: z.boolean().describe("A paused automation (`enabled: false`) starts no runs by itself"),
  whenBusy: WhenBusy.describe(
    "Whether a run that is triggered while another is unfinished is queued or refused",
  ),
  timeLimitSeconds: z.int().min(10, "must be at least 10").max(86_400, "must be at most 86400"),
  subscribers: z
    .array(ChosenSubscriber)
    .max(50, "must be at most 50")
    .refine(
      (subscribers) => new Set(subscribers.map(({ userId }) => userId)).size === subscribers.length,
      "must not name anybody twice",
    ),
  destinations: z
    .array(ChosenDestination)
    .max(20, "must be at most 20")
    .refine(
      (destinations) =>
        new Set(destinations.map(({ destinationId }) => destinationId)).size === destinations.length,
      "must not name a destination twice",
    )
    .describe("Where messages about its runs are sent, besides notifications"),
  condition: AutomationCondition.nullable().describe(
    "When it speaks ([conditions](../conditions.md)); null: always. Not for external agents, which decide themselves",
  ),
  recipients: AutomationRecipients.nullable().describe(
    "Who gets which rows of a chart, each in a message of their own ([recipients](../recipients.md)); null: nobody. Not for external agents",
  ),
};

export const CreateAutomation = z.strictObject({
  ...content,
  dashboardId: content.dashboardId.default(null),
  agent: content.agent.default("digest"),
  budget: content.budget.default(defaultModelBudget),
  allowsSql: content.allowsSql.default(false),
  schedule: content.schedule.default(null),
  enabled: content.enabled.default(true),
  whenBusy: content.whenBusy.default("queue"),
  timeLimitSeconds: content.timeLimitSeconds.default(900),
  subscribers: content.subscribers.default([]),
  destinations: content.destinations.default([]),
  condition: content.condition.default(null),
  recipients: content.recipients.default(null),
});
export type CreateAutomation = z.infer<typeof CreateAutomation>;

/** The longest that a trial may take: a person waits for it. */
export const maxTrialSeconds = 300;

/** An automation that is not saved, to be run once. */
export const TryAutomation = z.strictObject({
  id: Id.optional().describe(
    "The automation that is being changed: the trial is compared with its last completed run",
  ),
  name: content.name,
  instruction: content.instruction,
  references: content.references,
  dashboardId: content.dashboardId.default(null),
  agent: AutomationAgent.exclude(["external"])
    .default("digest")
    .describe("An external agent cannot be tried: it claims the runs of saved automations only"),
  budget: content.budget.default(defaultModelBudget),
  allowsSql: content.allowsSql.default(false),
  timeLimitSeconds: content.timeLimitSeconds
    .default(900)
    .describe(`A trial takes at most ${maxTrialSeconds} seconds, whatever this says`),
});
export type TryAutomation = z.infer<typeof TryAutomation>;

/** Absent fields are not changed. Runs that were triggered before are not affected. */
export const UpdateAutomation = z.strictObject(content).partial().extend({ id: Id });
export type UpdateAutomation = z.infer<typeof UpdateAutomation>;

export const AutomationId = z.strictObject({ id: Id });
export type AutomationId = z.infer<typeof AutomationId>;

export const TriggerAutomation = AutomationId.extend({
  whilePaused: z
    .boolean()
    .optional()
    .describe("Whether to start the run although the automation is paused. Its schedule stays paused"),
});
export type TriggerAutomation = z.infer<typeof TriggerAutomation>;

/** A live list. */
export const ListAutomations = ListPage;
export type ListAutomations = z.infer<typeof ListAutomations>;

export const Automation = z.object({
  id: Id,
  name: z.string(),
  instruction: z.string(),
  references: z.array(
    z.object({
      shortId: z.string(),
      title: z.string(),
      parameterValues: StoredParameterValues,
      isDeleted: z.boolean().describe("Runs fail while the automation has a deleted reference"),
    }),
  ),
  dashboard: z
    .object({
      id: Id,
      title: z.string(),
      isDeleted: z.boolean().describe("Runs fail while the dashboard is deleted"),
    })
    .nullable(),
  agent: AutomationAgent,
  budget: z.object({ steps: z.int(), tokens: z.int() }),
  allowsSql: z.boolean(),
  schedule: z.object({ cron: z.string(), timeZone: z.string() }).nullable(),
  enabled: z.boolean(),
  whenBusy: WhenBusy,
  timeLimitSeconds: z.int(),
  subscribers: z.array(AutomationSubscriber),
  destinations: z.array(
    DestinationChoice.omit({ id: true, rowRecipients: true }).extend({
      destinationId: Id,
      events: z.array(DestinationEvent),
      csv: z.boolean().describe("Whether its mails have the results of the charts as CSV files"),
    }),
  ),
  condition: z
    .object({ shortId: z.string(), rule: ConditionRule })
    .nullable()
    .describe("When it speaks; null: always"),
  recipients: StoredRecipients.nullable().describe("Who gets which rows of a chart; null: nobody"),
  nextRunAt: Timestamp.nullable().describe("Null if it is paused or has no schedule"),
  lastSkippedAt: Timestamp.nullable().describe(
    "The last scheduled time that was skipped because the automation was busy",
  ),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Automation = z.infer<typeof Automation>;

export const PreviewSchedule = z.strictObject({ schedule: Schedule });
export type PreviewSchedule = z.infer<typeof PreviewSchedule>;

/** The next three times of a schedule, fewer if there are no more. */
export const SchedulePreview = z.object({ nextTimes: z.array(Timestamp) });
export type SchedulePreview = z.infer<typeof SchedulePreview>;
