import { endedInvitationDays, heldDeliveryDays, type Retention, rowVersionDays } from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";

const days = z.coerce.number().int().max(3_650);
/** A trigger refuses to delete younger entries of the audit log. */
const minAuditDays = 90;

/** The operator's settings for how long history is kept. The worker deletes it, the api shows the periods. */
export const retentionSettings = {
  WEBHOOK_RETENTION_DAYS: days
    .min(1)
    .default(30)
    .describe(
      "How many days finished webhook deliveries and their events are kept at least; they are deleted up to a tenth of that later, or a day",
    ),
  // The pages of a list show runs as they were when its first page was read, up to seven days ago.
  QUERY_RUN_RETENTION_DAYS: days
    .min(rowVersionDays)
    .default(90)
    .describe(
      `How many days (at least ${rowVersionDays}) ended query runs are kept; the last ones of a query stay`,
    ),
  AUTOMATION_RUN_RETENTION_DAYS: days
    .min(rowVersionDays)
    .default(90)
    .describe(
      `How many days (at least ${rowVersionDays}) ended automation runs and their chats are kept; the last ones of an automation stay`,
    ),
  NOTIFICATION_RETENTION_DAYS: days.min(1).default(90).describe("How many days notifications are kept"),
  PAST_RESULTS_QUOTA_MEBIBYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_048_576)
    .default(1024)
    .describe("Maximum MiB of the past results of one organization, as they are stored; the oldest go first"),
  AUDIT_RETENTION_DAYS: days
    .min(minAuditDays)
    .default(365)
    .describe(`How many days (at least ${minAuditDays}) entries of the audit log are kept`),
};

const RetentionSettings = z.object(retentionSettings);
export type RetentionSettings = z.input<typeof RetentionSettings>;

/** How many bytes the past results of an organization may take. */
export const toPastResultsQuota = (settings: RetentionSettings): number =>
  RetentionSettings.parse(settings).PAST_RESULTS_QUOTA_MEBIBYTES * 1024 ** 2;

/** The periods that the operator sets, in days. */
export interface RetentionPeriods {
  webhookHistoryDays: number;
  queryRunDays: number;
  automationRunDays: number;
  notificationDays: number;
  auditDays: number;
}

export function toRetentionPeriods(settings: RetentionSettings): RetentionPeriods {
  const parsed = RetentionSettings.parse(settings);
  return {
    webhookHistoryDays: parsed.WEBHOOK_RETENTION_DAYS,
    queryRunDays: parsed.QUERY_RUN_RETENTION_DAYS,
    automationRunDays: parsed.AUTOMATION_RUN_RETENTION_DAYS,
    notificationDays: parsed.NOTIFICATION_RETENTION_DAYS,
    auditDays: parsed.AUDIT_RETENTION_DAYS,
  };
}

/** The retention periods of this deployment, in days. */
export const readRetention = ({ deployment }: Pick<Deps, "deployment">): Retention => ({
  ...deployment.retention,
  heldDeliveryDays,
  rowVersionDays,
  endedInvitationDays,
});
