import { z } from "zod";
import { AutomationAgent } from "./automations.ts";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";
import { WebhookEndpointState } from "./webhook-endpoints.ts";

/** The set-up steps that an organization has completed. */
const FirstSteps = z.object({
  database: z.boolean(),
  query: z.boolean(),
  run: z.boolean(),
  reference: z.boolean(),
  automation: z.boolean(),
  colleague: z.boolean(),
  endpoint: z.boolean(),
});

const failed = { reason: z.string(), failedAt: Timestamp };

/** Deliveries of an endpoint are counted up to this number, so that the page opens fast however many there are. */
export const maxCountedDeliveries = 1000;
const counted = `counted up to ${maxCountedDeliveries}`;

const RecentKind = z.enum(["query", "reference", "automation", "dashboard"]);

/** Says that the caller has opened something. */
export const RecordOpened = z.strictObject({ kind: RecentKind, id: Id });
export type RecordOpened = z.infer<typeof RecordOpened>;

/** How many opened items are stored for each member. */
export const maxRecentItems = 20;

/** The content of the start page. */
export const HomeOverview = z.object({
  webhooksEnabled: z.boolean(),
  firstSteps: FirstSteps,
  recent: z
    .array(
      z.object({
        kind: RecentKind,
        id: Id,
        shortId: z.string().nullable().describe("The short id of a reference, otherwise null"),
        title: z.string(),
        openedAt: Timestamp,
      }),
    )
    .describe("What the caller opened last, newest first"),
  summaries: z
    .array(
      z.object({
        automationId: Id,
        automationName: z.string(),
        agent: AutomationAgent.describe("Summaries of `external` agents are not checked"),
        shortId: z.string().describe("The short id of the run's chat"),
        summary: z.string(),
        completedAt: Timestamp,
      }),
    )
    .describe("The latest summaries of automations, newest first"),
  failedQueries: z
    .array(z.object({ queryId: Id, title: z.string(), ...failed }))
    .describe("Queries whose latest run of the last three days failed"),
  failedAutomations: z.array(
    z.object({ automationId: Id, name: z.string(), shortId: z.string(), ...failed }),
  ),
  endpoints: z
    .array(
      z.object({
        endpointId: Id,
        url: z.string(),
        state: WebhookEndpointState,
        consecutiveFailures: z.int(),
        held: z.int().describe(`Deliveries that are held, ${counted}`),
        retrying: z.int().describe(`Deliveries that failed and wait for their next attempt, ${counted}`),
      }),
    )
    .describe("Endpoints that fail, are disabled, or have held or retried deliveries; only for admins"),
});
export type HomeOverview = z.infer<typeof HomeOverview>;
