import { z } from "zod";

interface JobDefinition {
  /** Parsed when a job is added and when it runs. New fields must be optional, because older jobs may be queued. */
  payload: z.ZodType;
  /** The maximum number of attempts. */
  maxAttempts: number;
  /** The cron expression, in UTC, of jobs that are added on a schedule. */
  cron?: string;
}

/** All jobs. The worker has one task of the same name for each. */
export const jobs = {
  /** The mail is sealed, because it contains links that give access. */
  send_mail: { payload: z.object({ sealed: z.string() }), maxAttempts: 8 },
  expand_schedules: { payload: z.object({}), maxAttempts: 1, cron: "* * * * *" },
  refresh_due_dashboards: { payload: z.object({}), maxAttempts: 1, cron: "* * * * *" },
  purge_expired_results: { payload: z.object({}), maxAttempts: 3, cron: "*/10 * * * *" },
  keep_results: { payload: z.object({}), maxAttempts: 1, cron: "* * * * *" },
  thin_results: { payload: z.object({}), maxAttempts: 1, cron: "*/10 * * * *" },
  purge_history: { payload: z.object({}), maxAttempts: 3, cron: "23 * * * *" },
  purge_row_versions: { payload: z.object({}), maxAttempts: 3, cron: "41 * * * *" },
  purge_expired_identity: { payload: z.object({}), maxAttempts: 3, cron: "17 * * * *" },
  sweep_uploads: { payload: z.object({}), maxAttempts: 1, cron: "* * * * *" },
  create_attempt_partitions: { payload: z.object({}), maxAttempts: 3, cron: "11 * * * *" },
  create_sample_shop: { payload: z.object({ organizationId: z.uuid() }), maxAttempts: 5 },
  delete_sample_shop: {
    payload: z.object({ organizationId: z.uuid(), userId: z.uuid() }),
    maxAttempts: 8,
  },
  create_export: { payload: z.object({ organizationId: z.uuid(), id: z.uuid() }), maxAttempts: 5 },
  sweep_exports: { payload: z.object({}), maxAttempts: 1, cron: "*/5 * * * *" },
  delete_due_organizations: { payload: z.object({}), maxAttempts: 1, cron: "*/10 * * * *" },
  /** `sampleShop` is the name of a file, or null. */
  delete_files_of_organization: {
    payload: z.object({ organizationId: z.uuid(), sampleShop: z.string().nullable() }),
    maxAttempts: 8,
  },
  /** Added by the function that ends subscriptions. */
  tell_subscription_ended: {
    payload: z.object({
      endpointId: z.uuid(),
      reason: z.enum(["admin", "key_revoked"]),
      sealedSecret: z.string(),
    }),
    maxAttempts: 5,
  },
  /** Added by a trigger when there is a new result. */
  update_published_page: { payload: z.object({ linkId: z.uuid() }), maxAttempts: 5 },
  /** Runs the queries of a page with choices. Added with a change of the link, and by a trigger when a schedule is due. */
  refresh_published_choices: {
    payload: z.object({ linkId: z.uuid(), since: z.iso.datetime({ offset: true }) }),
    maxAttempts: 5,
  },
  /** Added by the function that the public process calls. */
  make_embed_page: { payload: z.object({ pageId: z.uuid() }), maxAttempts: 3 },
  purge_embeds: { payload: z.object({}), maxAttempts: 3, cron: "*/10 * * * *" },
  purge_webhook_history: { payload: z.object({}), maxAttempts: 3, cron: "41 * * * *" },
} as const satisfies Record<string, JobDefinition>;

/** Jobs that earlier releases added. Runs are claimed from their tables, and `purge_history` purges trials. */
export const retiredJobs = ["execute_run", "execute_automation_run", "purge_trials"] as const;

export type JobName = keyof typeof jobs;
export type JobPayload<Name extends JobName> = z.infer<(typeof jobs)[Name]["payload"]>;
