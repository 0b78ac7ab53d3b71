import { EventEmitter } from "node:events";
import type { Deps } from "@querybell/core";
import { jobs } from "@querybell/domain";
import { parseCronItems, Logger as QueueLogger, run } from "graphile-worker";
import type { Logger } from "pino";
import { createDeliveryMetrics } from "./delivery-metrics.ts";
import type { WorkerSettings } from "./env.ts";
import { startHeart } from "./heart.ts";
import { createMailer } from "./mailer.ts";
import { createMetrics } from "./metrics.ts";
import { startWorkerPump } from "./pump.ts";
import { startStatusServer } from "./status-server.ts";
import { startSweeper } from "./sweeper.ts";
import { createTaskLists } from "./task-list.ts";

interface WorkerOptions {
  deps: Deps;
  logger: Logger;
  settings: WorkerSettings;
  /** How soon a killed worker's jobs are given to another. */
  heartbeat?: { beatEveryMs: number; silentForSeconds: number };
  /** How soon a run that nobody executes any more is noticed. */
  sweepEveryMs?: number;
}

/**
 * Runs jobs and delivers webhooks until it is stopped. Stopping finishes the jobs and attempts at hand, or gives
 * back those that take too long.
 */
export async function startWorker(options: WorkerOptions) {
  const { deps, logger, settings, sweepEveryMs = 5_000 } = options;
  const { heartbeat = { beatEveryMs: 5_000, silentForSeconds: 20 } } = options;
  const events = new EventEmitter();
  const mailer = createMailer(settings);
  const metrics = createMetrics(deps, events);
  const { registry } = metrics;
  const deliveryMetrics = createDeliveryMetrics(deps, registry);
  const status = await startStatusServer({ deps, registry, settings });
  const heart = startHeart({ deps, logger, events, ...heartbeat });
  const taskLists = createTaskLists({ deps, mailer, logger, settings });
  const common = {
    pgPool: deps.db.pool,
    pollInterval: 2_000,
    noHandleSignals: true,
    events,
    logger: toQueueLogger(logger),
  };
  const runners = await Promise.all([
    run({
      ...common,
      taskList: taskLists.others,
      parsedCronItems: parseCronItems(cronItems()),
      concurrency: settings.WORKER_CONCURRENCY,
      gracefulShutdownAbortTimeout: 15_000,
    }),
    run({
      ...common,
      taskList: taskLists.runs,
      parsedCronItems: [],
      concurrency: settings.WORKER_RUN_CONCURRENCY,
      // Another worker can begin a run again at any time: there is little to wait for.
      gracefulShutdownAbortTimeout: 5_000,
    }),
    run({
      ...common,
      taskList: taskLists.automations,
      parsedCronItems: [],
      concurrency: settings.WORKER_AUTOMATION_CONCURRENCY,
      gracefulShutdownAbortTimeout: 5_000,
    }),
  ]);
  const sweeper = startSweeper({ deps, logger, everyMs: sweepEveryMs });
  const pump = await startWorkerPump({ deps, logger, observer: deliveryMetrics });
  deliveryMetrics.watch(pump.stats);
  return {
    events,
    statusUrl: status.url,
    async stop() {
      await sweeper.stop();
      await Promise.all([...runners.map((runner) => runner.stop()), pump.stop()]);
      await heart.settle();
      await heart.stop();
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
