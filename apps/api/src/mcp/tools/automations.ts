import {
  findAutomations,
  getAutomationRun,
  listAutomationRuns,
  listAutomations,
  listSteps,
  triggerAutomation,
  triggerAutomationOnce,
} from "@querybell/core/automations";
import {
  type AutomationRun,
  AutomationStepState,
  Id,
  Moment,
  OneLine,
  RunStatus,
  shorten,
} from "@querybell/domain";
import { z } from "zod";
import { writeCount } from "../answers.ts";
import { defineTool } from "../tool.ts";

const Cursor = z.string().min(1).max(2000).optional().describe("The nextCursor of the page before");
const NextCursor = z.string().optional().describe("Absent on the last page");

const ShownRun = z.object({
  runId: z.string(),
  automation: z.string(),
  status: RunStatus,
  ranAt: z.string(),
  summary: z.string().optional(),
  failure: z.string().optional(),
  chatUrl: z.string(),
});

const maxSummaryCharacters = 700;

const toShownRun = (run: AutomationRun): z.input<typeof ShownRun> => ({
  runId: run.id,
  automation: run.automationName,
  status: run.status,
  ranAt: run.runAt,
  ...(run.summary !== null && { summary: shorten(run.summary, maxSummaryCharacters) }),
  ...(run.failure && { failure: shorten(run.failure.reason, maxSummaryCharacters) }),
  chatUrl: run.chatUrl,
});

const listed = (count: number, thing: string, nextCursor: string | undefined): string =>
  `${writeCount(count)} ${thing}${count === 1 ? "" : "s"}${nextCursor === undefined ? "." : ", and there are more: send nextCursor."}`;

const listAutomationsTool = defineTool({
  name: "list_automations",
  description:
    "Lists automations, newest first, each with its schedule and latest ended run. With text, those that match, the best first.",
  effect: "reads",
  access: "viewer",
  scopes: ["automations:read"],
  input: z.strictObject({
    text: z.string().min(1).max(200).optional().describe("A few words; all must match"),
    limit: z.int().min(1).max(10).default(10),
    cursor: Cursor,
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        instruction: z.string(),
        isPaused: z.boolean(),
        schedule: z.string().nullable().describe("Cron expression and time zone"),
        nextRunAt: z.string().nullable(),
        latestRun: ShownRun.nullable(),
      }),
    ),
    nextCursor: NextCursor,
  }),
  run: (call, { text, ...page }) =>
    call.inSlot(async () => {
      const { deps } = call.context;
      const { items, nextCursor } =
        text === undefined
          ? await listAutomations(deps, call.caller, page)
          : { items: await findAutomations(deps, call.caller, { ...page, text }), nextCursor: undefined };
      const isFull = text !== undefined && items.length === page.limit;
      const more = isFull ? " There may be more: use more words." : "";
      return {
        headline: listed(items.length, "automation", nextCursor) + more,
        content: {
          items: items.map(({ id, name, instruction, enabled, schedule, nextRunAt, latestEndedRun }) => ({
            id,
            name,
            instruction: shorten(instruction, 300),
            isPaused: !enabled,
            schedule: schedule && `${schedule.cron} ${schedule.timeZone}`,
            nextRunAt,
            latestRun: latestEndedRun && toShownRun(latestEndedRun),
          })),
          nextCursor,
        },
      };
    }),
});

const listRunsTool = defineTool({
  name: "list_runs",
  description: "Lists runs of automations, newest first, with the summary or the reason of the failure.",
  effect: "reads",
  access: "viewer",
  scopes: ["automations:read"],
  input: z.strictObject({
    automationId: Id.optional(),
    since: Moment.optional().describe("Only runs from this time on"),
    limit: z.int().min(1).max(10).default(10),
    cursor: Cursor,
  }),
  output: z.object({ items: z.array(ShownRun), nextCursor: NextCursor }),
  run: (call, { since, ...page }) =>
    call.inSlot(async () => {
      const runs = await listAutomationRuns(call.context.deps, call.caller, page);
      const from = since === undefined ? 0 : Date.parse(since);
      const items = runs.items.filter(({ runAt }) => Date.parse(runAt) >= from).map(toShownRun);
      // Newest first: after an earlier run there is no later one.
      const nextCursor = items.length === runs.items.length ? runs.nextCursor : undefined;
      return { headline: listed(items.length, "run", nextCursor), content: { items, nextCursor } };
    }),
});

const maxStepCharacters = 1_200;

const getChatTool = defineTool({
  name: "get_chat",
  description: "Shows what an automation run did: its outcome and its steps, oldest first.",
  effect: "reads",
  access: "viewer",
  scopes: ["automations:read"],
  input: z.strictObject({ runId: Id, limit: z.int().min(1).max(5).default(5), cursor: Cursor }),
  output: z.object({
    run: ShownRun,
    steps: z.array(
      z.object({
        name: z.string(),
        state: AutomationStepState,
        tool: z.string().nullable(),
        text: z.string(),
        output: z.string().optional().describe("JSON, perhaps cut"),
        isCut: z.boolean(),
      }),
    ),
    nextCursor: NextCursor,
  }),
  run: (call, { runId, ...page }) =>
    call.inSlot(async () => {
      const { deps } = call.context;
      const run = await getAutomationRun(deps, call.caller, { id: runId });
      const { items, nextCursor } = await listSteps(deps, call.caller, { runId, ...page });
      const steps = items.map(({ name, state, tool, text, output }) => {
        const json = output === null ? "" : JSON.stringify(output);
        return {
          name,
          state,
          tool,
          text: shorten(text, maxStepCharacters),
          ...(json !== "" && { output: shorten(json, maxStepCharacters) }),
          isCut: Math.max(text.length, json.length) > maxStepCharacters,
        };
      });
      const content = { run: toShownRun(run), steps, nextCursor };
      return { headline: listed(steps.length, "step", nextCursor), content };
    }),
});

const runAutomationTool = defineTool({
  name: "run_automation",
  description:
    "Starts a run of an automation, or queues it behind an unfinished one. Its subscribers and webhooks get the outcome. list_runs and get_chat show it.",
  effect: "starts work",
  access: "member",
  scopes: ["automations:run"],
  input: z.strictObject({
    id: Id.describe("Of the automation"),
    idempotencyKey: OneLine.min(1)
      .max(200)
      .optional()
      .describe("Of your choice; sent again, it answers the same run"),
  }),
  output: z.object({ runId: z.string(), status: RunStatus, isQueued: z.boolean(), chatUrl: z.string() }),
  run: (call, { id, idempotencyKey }) =>
    call.inSlot(async () => {
      const { deps } = call.context;
      const run =
        idempotencyKey === undefined
          ? await triggerAutomation(deps, call.caller, { id })
          : await triggerAutomationOnce(deps, call.caller, { id, idempotencyKey });
      const { id: runId, status, isQueued, chatUrl } = run;
      const headline = isQueued ? "Queued." : status === "pending" ? "Started." : `The run is ${status}.`;
      return { headline, content: { runId, status, isQueued, chatUrl } };
    }),
});

export const automationTools = [listAutomationsTool, listRunsTool, getChatTool, runAutomationTool];
