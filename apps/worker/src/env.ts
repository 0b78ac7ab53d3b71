import { readSettings, refuseUnsafeProduction, sharedSettings } from "@querybell/core";
import { z } from "zod";

export const WorkerSettings = z
  .object({
    ...sharedSettings,
    WORKER_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(8)
      .describe("How many jobs one worker process runs at once, runs of queries and automations aside"),
    WORKER_RUN_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(4)
      .describe("How many query runs one worker process executes at once, beside those jobs"),
    WORKER_AUTOMATION_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(8)
      .describe(
        "How many runs of automations one worker process has in hand at once; mostly they wait for queries",
      ),
    WORKER_HOST: z
      .string()
      .default("127.0.0.1")
      .describe("The address on which the worker answers `/healthz`, `/readyz` and `/metrics`"),
    WORKER_PORT: z.coerce.number().int().min(0).max(65_535).default(4001).describe("The port for the same"),
  })
  .superRefine(refuseUnsafeProduction);
export type WorkerSettings = z.infer<typeof WorkerSettings>;

export const readWorkerSettings = (): WorkerSettings => readSettings(WorkerSettings, process.env);
