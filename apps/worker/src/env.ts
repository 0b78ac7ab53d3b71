import { readSettings, refuseUnsafeProduction, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

const ceiling = z.coerce.number().int().min(1).max(10_000);
const concurrency = z.coerce.number().int().min(1).max(100);

export const WorkerSettings = z
  .object({
    ...sharedSettings,
    WORKER_CONCURRENCY: concurrency
      .default(8)
      .describe("How many jobs one worker process runs at once, runs of queries and automations aside"),
    MAX_QUERY_RUNS_PER_ORGANIZATION: ceiling
      .default(20)
      .describe("Maximum query runs of one organization at once, in all workers together"),
    MAX_QUERY_RUNS: ceiling
      .optional()
      .describe(
        "Maximum query runs at once, in all workers together; without it, as many as they have slots",
      ),
    MAX_AUTOMATION_RUNS_PER_ORGANIZATION: ceiling
      .default(20)
      .describe("Maximum runs of automations of one organization at once, in all workers together"),
    MAX_AUTOMATION_RUNS: ceiling
      .optional()
      .describe(
        "Maximum runs of automations at once, in all workers together; without it, as many as they have slots",
      ),
    WORKER_RUN_CONCURRENCY: concurrency
      .default(4)
      .describe(
        "How many query runs one worker process executes at once; the last slot is kept for an organization that has no run there",
      ),
    WORKER_AUTOMATION_CONCURRENCY: concurrency
      .default(8)
      .describe(
        "How many runs of automations one worker process executes at once, with the same rule; mostly they wait for queries",
      ),
    WORKER_HOST: z
      .string()
      .default("127.0.0.1")
      .describe("The address on which the worker answers `/healthz`, `/readyz` and `/metrics`"),
    WORKER_PORT: z.coerce.number().int().min(0).max(65_535).default(4001).describe("The port of these"),
  })
  .superRefine(refuseUnsafeProduction);
export type WorkerSettings = z.infer<typeof WorkerSettings>;

export const readWorkerSettings = (): WorkerSettings => readSettings(WorkerSettings, process.env);
