import type { Deps } from "@querybell/core";
import { expandSchedules } from "@querybell/core/automations";
import { noteEndedRefreshes, refreshDueDashboards } from "@querybell/core/dashboards";
import { makeEmbedPage, purgeEmbeds } from "@querybell/core/embedding";
import { deleteDueOrganizations, deleteFiles } from "@querybell/core/erasure";
import { tellSubscriptionEnded } from "@querybell/core/event-subscriptions";
import { executeExport, sweepExports } from "@querybell/core/exports";
import { openQueuedMail } from "@querybell/core/mail";
import { keepResults, thinResults } from "@querybell/core/past-results";
import { refreshPublishedChoices, updatePublishedPage } from "@querybell/core/public-links";
import {
  purgeExpiredIdentity,
  purgeExpiredResults,
  purgeHistory,
  purgeRowVersions,
} from "@querybell/core/retention";
import { executeSampleShopCreation, executeSampleShopDeletion } from "@querybell/core/sample-shop";
import { sweepUploads } from "@querybell/core/uploads";
import { type JobName, type JobPayload, jobs, retiredJobs } from "@querybell/domain";
import { inSpan } from "@querybell/tracing";
import { createAttemptPartitions, purgeWebhookHistory } from "@querybell/webhooks";
import type { Task, TaskList } from "graphile-worker";
import type { Logger } from "pino";
import type { Mailer } from "./mailer.ts";

/** The dependencies of the tasks. */
interface TaskContext {
  deps: Deps;
  mailer: Mailer;
  logger: Logger;
}

/** One task for each job, with its name. It calls a use case and logs what that did. */
const tasks: { [Name in JobName]: (context: TaskContext, payload: JobPayload<Name>) => Promise<void> } = {
  async create_attempt_partitions({ deps, logger }) {
    const days = deps.deployment.retention.webhookHistoryDays;
    const created = await createAttemptPartitions(deps.db.pool, { days });
    logger.info({ created }, "created partitions of webhook attempts");
  },
  async create_export({ deps, logger }, payload) {
    const outcome = await executeExport(deps, payload);
    logger.info({ outcome }, "made a file of everything of an organization");
  },
  async create_sample_shop({ deps }, payload) {
    await executeSampleShopCreation(deps, payload);
  },
  async delete_sample_shop({ deps }, payload) {
    await executeSampleShopDeletion(deps, payload);
  },
  async delete_due_organizations({ deps, logger }) {
    const organizations = await deleteDueOrganizations(deps);
    if (organizations > 0) logger.info({ organizations }, "deleted organizations whose waiting time is over");
  },
  async delete_files_of_organization({ deps }, payload) {
    await deleteFiles(deps, payload);
  },
  async expand_schedules({ deps, logger }) {
    const { triggered, skipped } = await expandSchedules(deps);
    if (triggered + skipped > 0) logger.info({ triggered, skipped }, "started runs whose time has come");
  },
  async refresh_due_dashboards({ deps, logger }) {
    const failing = await noteEndedRefreshes(deps);
    const { started, failed } = await refreshDueDashboards(deps);
    if (started + failed + failing > 0) logger.info({ started, failed, failing }, "refreshed dashboards");
  },
  async keep_results({ deps, logger }) {
    const results = await keepResults(deps);
    if (results > 0) logger.info({ results }, "compressed results that are kept as history");
  },
  async make_embed_page({ deps, logger }, payload) {
    const outcome = await makeEmbedPage(deps, payload);
    logger.info({ outcome }, "worked on the page of a frame");
  },
  async purge_embeds({ deps, logger }) {
    logger.info(await purgeEmbeds(deps), "purged frames that have expired");
  },
  async purge_expired_identity({ deps, logger }) {
    logger.info(await purgeExpiredIdentity(deps), "purged what has expired");
  },
  async purge_expired_results({ deps, logger }) {
    logger.info({ results: await purgeExpiredResults(deps) }, "purged results that have expired");
  },
  async purge_history({ deps, logger }) {
    logger.info(
      await purgeHistory(deps),
      "purged old drafts, trials, runs, notifications, audit entries and deletions",
    );
  },
  async purge_row_versions({ deps, logger }) {
    logger.info({ versions: await purgeRowVersions(deps) }, "purged old versions of listed rows");
  },
  async purge_webhook_history({ deps, logger }) {
    const days = deps.deployment.retention.webhookHistoryDays;
    logger.info(await purgeWebhookHistory(deps.db.pool, { days }), "purged old webhook history");
  },
  async refresh_published_choices({ deps, logger }, payload) {
    const outcome = await refreshPublishedChoices(deps, payload);
    logger.info({ outcome }, "started the runs of a public page with choices");
  },
  async send_mail({ deps, mailer }, { sealed }) {
    await mailer.send(openQueuedMail(deps, sealed));
  },
  async sweep_exports({ deps, logger }) {
    const files = await sweepExports(deps);
    if (files > 0) logger.info({ files }, "deleted files of exports");
  },
  async sweep_uploads({ deps, logger }) {
    const swept = await sweepUploads(deps);
    if (swept.waitingFiles + swept.databaseFiles > 0) logger.info(swept, "deleted files of uploads");
  },
  async thin_results({ deps, logger }) {
    const chains = await thinResults(deps);
    if (chains.thinned + chains.deleted > 0) logger.info(chains, "thinned and deleted past results");
  },
  async tell_subscription_ended({ deps, logger }, payload) {
    const outcome = await tellSubscriptionEnded(deps, payload);
    logger.info({ outcome }, "told a program that its subscription has ended");
  },
  async update_published_page({ deps, logger }, payload) {
    const outcome = await updatePublishedPage(deps, payload);
    logger.info({ outcome }, "brought a public page up to date");
  },
};

const jobNames = Object.keys(jobs).filter((name): name is JobName => name in jobs);

/** The tasks by name. Retired jobs are removed from the queue without any work. */
export const createTaskList = (context: TaskContext): TaskList => ({
  ...Object.fromEntries(jobNames.map((name) => [name, toQueueTask(name, context)])),
  ...Object.fromEntries(retiredJobs.map((name) => [name, async () => {}])),
});

/** Parses the payload again, because an older release may have written it. */
const toQueueTask =
  <Name extends JobName>(name: Name, context: TaskContext): Task =>
  async (payload, { job }) => {
    const logger = context.logger.child({ task: name, job: job.id, attempt: job.attempts });
    const parsed = jobs[name].payload.parse(payload) as JobPayload<Name>;
    await inSpan({ name: `job ${name}`, kind: "consumer", parent: null }, () =>
      tasks[name]({ ...context, logger }, parsed),
    );
  };
