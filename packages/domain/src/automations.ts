import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterValues, StoredParameterValues } from "./parameters.ts";
import { Schedule } from "./schedules/schedule.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./timestamp.ts";

/** Who executes a run: the built-in `digest` agent, a language `model`, or an external process that claims it. */
export const AutomationAgent = z.enum(["digest", "model", "external"]);
export type AutomationAgent = z.infer<typeof AutomationAgent>;

/** Whether a run that is triggered while another is unfinished is queued or rejected. */
export const WhenBusy = z.enum(["queue", "refuse"]);
export type WhenBusy = z.infer<typeof WhenBusy>;

/** The maximum number of queued runs of one automation, besides the one that is ready or running. */
export const maxQueuedRuns = 10;

/** The maximum size of the values of all references, as JSON. Lists show them, and every run stores them. */
export const maxAutomationValueCharacters = 20_000;

/** What one run of the agent `model` may use. Its time is the time limit of every run. */
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
    .describe("Read and written by the model"),
});
export type ModelBudget = z.infer<typeof ModelBudget>;

export const defaultModelBudget: ModelBudget = { steps: 30, tokens: 100_000 };

const LookedAtReference = z.strictObject({
  shortId: Text.max(200),
  parameterValues: ParameterValues.default({}).describe(
    "As `queries.run` takes them; a relative date is counted anew at each run",
  ),
});

/** A member who is notified of the end of runs: by which channels, and of which outcomes. */
export const AutomationSubscriber = z.object({
  userId: Id,
  inApp: z.boolean(),
  byMail: z.boolean(),
  onFailure: z.boolean(),
  onSummary: z.boolean().describe("With the summary of each run that completes"),
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
  name: Text.trim().min(1, "must not be empty").max(200, "must have at most 200 characters"),
  instruction: Text.trim()
    .min(1, "must not be empty")
    .max(10_000, "must have at most 10000 characters")
    .describe("What the agent shall do, in words"),
  references: z
    .array(LookedAtReference)
    .min(1, "must name at least one reference")
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
  agent: AutomationAgent.describe(
    "Who does the work: Querybell itself, a language model, or a process elsewhere that claims it",
  ),
  budget: ModelBudget.describe("What one run of the agent `model` may use"),
  schedule: Schedule.nullable()
    .meta({ examples: [{ cron: "0 9 * * *", timeZone: "Europe/Berlin" }] })
    .describe("Null: it runs on demand only"),
  enabled: z.boolean().describe("A paused automation, one that is not enabled, starts no runs"),
  whenBusy: WhenBusy.describe("What becomes of a run that is triggered while another is unfinished"),
  timeLimitSeconds: z.int().min(10, "must be at least 10").max(86_400, "must be at most 86400"),
  subscribers: z
    .array(ChosenSubscriber)
    .max(50, "must be at most 50")
    .refine(
      (subscribers) => new Set(subscribers.map(({ userId }) => userId)).size === subscribers.length,
      "must not name anybody twice",
    ),
};

export const CreateAutomation = z.strictObject({
  ...content,
  agent: content.agent.default("digest"),
  budget: content.budget.default(defaultModelBudget),
  schedule: content.schedule.default(null),
  enabled: content.enabled.default(true),
  whenBusy: content.whenBusy.default("queue"),
  timeLimitSeconds: content.timeLimitSeconds.default(900),
  subscribers: content.subscribers.default([]),
});
export type CreateAutomation = z.infer<typeof CreateAutomation>;

/** Absent fields are not changed. Runs that were triggered before are not affected. */
export const UpdateAutomation = z.strictObject(content).partial().extend({ id: Id });
export type UpdateAutomation = z.infer<typeof UpdateAutomation>;

export const AutomationId = z.strictObject({ id: Id });
export type AutomationId = z.infer<typeof AutomationId>;

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
      isDeleted: z
        .boolean()
        .describe("A run fails as long as the automation looks at a reference that was deleted"),
    }),
  ),
  agent: AutomationAgent,
  budget: z.object({ steps: z.int(), tokens: z.int() }),
  schedule: z.object({ cron: z.string(), timeZone: z.string() }).nullable(),
  enabled: z.boolean(),
  whenBusy: WhenBusy,
  timeLimitSeconds: z.int(),
  subscribers: z.array(AutomationSubscriber),
  nextRunAt: Timestamp.nullable().describe("Null for what is paused or on demand"),
  lastSkippedAt: Timestamp.nullable().describe(
    "The last scheduled time that was passed over, because the automation was still busy",
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
