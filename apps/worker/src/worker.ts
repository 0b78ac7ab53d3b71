import { EventEmitter } from "node:events";
import type { Deps } from "@querybell/core";
import { failAbandonedRuns } from "@querybell/core/automations";
import { createMessenger } from "@querybell/core/destinations";
import { startRunSlots } from "@querybell/core/run-slots";
import { jobs } from "@querybell/domain";
import { createSender, type Pump, startPump } from "@querybell/webhooks";
import { parseCronItems, Logger as QueueLogger, run } from "graphile-worker";
import type { Logger } from "pino";
import { createDeliveryMetrics, type DeliveryMetrics } from "./delivery-metrics.ts";
import type { WorkerSettings } from "./env.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { createMailer, type Mailer } from "./mailer.ts";
import { createMetrics } from "./metrics.ts";
import { repeat } from "./repeat.ts";
import { startStatusServer } from "./status-server.ts";
import { createTaskList } from "./tasks.ts";

interface WorkerOptions {
  deps: Deps;
  logger: Logger;
  settings: WorkerSettings;
  /** How soon the jobs of a dead worker are released. */
  heartbeat?: { beatEveryMs: number; silentForSeconds: number };
  /** How often to look for runs without a notice, such as runs of a dead worker. */
  pollEveryMs?: number;
}

/** Runs jobs and delivers webhooks until it is stopped. `stop` finishes the work in flight or releases it. */
export async function startWorker(options: WorkerOptions) {
  const { deps, logger, settings, pollEveryMs = 2_000 } = options;
  const { heartbeat: heartbeatOptions = { beatEveryMs: 5_000, silentForSeconds: 20 } } = options;
  const events = new EventEmitter();
  const mailer = createMailer(settings);
  const metrics = createMetrics(deps, events);
  const { registry } = metrics;
  const deliveryMetrics = createDeliveryMetrics(deps, registry);
  const status = await startStatusServer({ deps, registry, settings });
  const heartbeat = startHeartbeat({ deps, logger, events, ...heartbeatOptions });
  const jobRunner = await run({
    pgPool: deps.db.pool,
    pollInterval: 2_000,
    noHandleSignals: true,
    events,
    logger: toQueueLogger(logger),
    taskList: createTaskList({ deps, mailer, logger }),
    parsedCronItems: parseCronItems(cronItems()),
    concurrency: settings.WORKER_CONCURRENCY,
    gracefulShutdownAbortTimeout: 15_000,
  });
  const runSlots = startRunSlots({
    deps,
    queryRuns: {
      slots: settings.WORKER_RUN_CONCURRENCY,
      perOrganization: settings.MAX_QUERY_RUNS_PER_ORGANIZATION,
      total: settings.MAX_QUERY_RUNS ?? null,
    },
    automationRuns: {
      slots: settings.WORKER_AUTOMATION_CONCURRENCY,
      perOrganization: settings.MAX_AUTOMATION_RUNS_PER_ORGANIZATION,
      total: settings.MAX_AUTOMATION_RUNS ?? null,
    },
    pollEveryMs,
    onError: (error, what) => logger.error(error, what),
    onEnd: metrics.onRunEnd,
  });
  const sweeper = startSweeper({ deps, logger, everyMs: pollEveryMs });
  const pump = await startWorkerPump({ deps, mailer, logger, metrics: deliveryMetrics });
  deliveryMetrics.observePump(pump.stats);
  return {
    events,
    statusUrl: status.url,
    async stop() {
      status.announceStop();
      await sweeper.stop();
      await Promise.all([jobRunner.stop(), runSlots.stop(), pump.stop()]);
      await heartbeat.waitForJobEnds();
      await heartbeat.stop();
      await status.stop();
      mailer.close();
      metrics.stop();
    },
  };
}

const cronItems = () =>
  Object.entries(jobs).flatMap(([task, { maxAttempts, ...rest }]) =>
    "cron" in rest ? [{ task, match: rest.cron, options: { maxAttempts, backfillPeriod: 0 } }] : [],
  );

const toQueueLogger = (logger: Logger) =>
  new QueueLogger((scope) => (level, message, meta) => {
    const method = level === "warning" ? "warn" : level;
    logger[method]({ ...scope, ...meta }, message);
  });

interface WorkerPumpOptions {
  deps: Deps;
  mailer: Mailer;
  logger: Logger;
  metrics: DeliveryMetrics;
}

/** The delivery pump and its sender. */
async function startWorkerPump({ deps, mailer, logger, metrics }: WorkerPumpOptions): Promise<Pump> {
  const { db, clock, guard, sealer } = deps;
  const sender = createSender({ guard, clock, onCertificate: metrics.onCertificate });
  const onError = (error: unknown) => logger.error(error, "an error in the webhook pump; it continues");
  const { pool, notices } = db;
  const messenger = createMessenger({ ...deps, sender, sendMail: mailer.sendToDestination, onError });
  const pump = await startPump({
    ...{ pool, notices, clock, guard, sender, sealer, messenger, observer: metrics, onError },
  });
  return {
    ...pump,
    async stop() {
      await pump.stop();
      sender.close();
    },
  };
}

interface SweeperOptions {
  deps: Deps;
  logger: Logger;
  everyMs: number;
}

/** Fails runs that external agents have abandoned. Abandoned runs of workers are claimed by other workers. */
function startSweeper({ deps, logger, everyMs }: SweeperOptions) {
  const sweep = async () => {
    const ended = await failAbandonedRuns(deps);
    if (ended.length > 0) logger.warn({ ended }, "failed runs that external agents had abandoned");
  };
  return repeat(sweep, {
    everyMs,
    onError: (error) => logger.error(error, "could not look for abandoned runs"),
  });
}
