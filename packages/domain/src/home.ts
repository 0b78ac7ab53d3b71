import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";
import { WebhookEndpointState } from "./webhook-endpoints.ts";

/** What a new organization has done already. */
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

/** What the start page shows of an organization, beside its lists. */
export const HomeOverview = z.object({
  webhooksEnabled: z.boolean(),
  firstSteps: FirstSteps,
  /** The latest summaries of automations, newest first. */
  summaries: z.array(
    z.object({
      automationId: Id,
      automationName: z.string(),
      /** Names the chat of the run. */
      shortId: z.string(),
      summary: z.string(),
      completedAt: Timestamp,
    }),
  ),
  /** Whose latest run failed, within the last three days. */
  failedQueries: z.array(z.object({ queryId: Id, title: z.string(), ...failed })),
  failedAutomations: z.array(
    z.object({ automationId: Id, name: z.string(), shortId: z.string(), ...failed }),
  ),
  /** Endpoints that fail, are disabled or have deliveries held; none for members, who cannot open them. */
  endpoints: z.array(
    z.object({
      endpointId: Id,
      url: z.string(),
      state: WebhookEndpointState,
      consecutiveFailures: z.int(),
      held: z.int(),
    }),
  ),
});
export type HomeOverview = z.infer<typeof HomeOverview>;
