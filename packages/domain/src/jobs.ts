import { z } from "zod";

interface JobDefinition {
  /** Parsed when a job is added and again when it runs. A field added later is optional: older jobs may be queued. */
  payload: z.ZodType;
  /** How often a job is tried before it is given up. */
  maxAttempts: number;
  /** Minutes, hours, days, months, weekdays in UTC, for jobs that the clock adds. */
  cron?: string;
}

/** Every job there is. The worker has one task file of the same name for each. */
export const jobs = {
  /** `sealed` holds the mail: it contains links that give access, and the queue is not a place for secrets. */
  send_mail: { payload: z.object({ sealed: z.string() }), maxAttempts: 8 },
  expand_schedules: { payload: z.object({}), maxAttempts: 1, cron: "* * * * *" },
  purge_expired_results: { payload: z.object({}), maxAttempts: 3, cron: "*/10 * * * *" },
  purge_row_versions: { payload: z.object({}), maxAttempts: 3, cron: "41 * * * *" },
  purge_expired_identity: { payload: z.object({}), maxAttempts: 3, cron: "17 * * * *" },
  purge_webhook_history: { payload: z.object({}), maxAttempts: 3, cron: "41 * * * *" },
} as const satisfies Record<string, JobDefinition>;

/** Jobs that earlier versions added. Their runs are claimed from their tables, so there is nothing left to do. */
export const retiredJobs = ["execute_run", "execute_automation_run"] as const;

export type JobName = keyof typeof jobs;
export type JobPayload<Name extends JobName> = z.infer<(typeof jobs)[Name]["payload"]>;
