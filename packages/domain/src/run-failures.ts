import { z } from "zod";

/**
 * Why a run failed. A failed run is an expected result, stored and shown long after, so this is a list
 * of its own and not a part of the table of refusals; the few codes in both mean the same thing.
 */
export const RunFailureCode = z.enum([
  "database_unreachable",
  "database_credentials_refused",
  "query_failed",
  "query_timeout",
  "result_too_large",
  "out_of_memory",
  "engine_crashed",
  "database_deleted",
  "worker_lost",
  "cancelled",
]);
export type RunFailureCode = z.infer<typeof RunFailureCode>;

export const RunFailure = z.object({
  code: RunFailureCode,
  message: z.string(),
  position: z
    .object({ line: z.int().min(1), column: z.int().min(1) })
    .optional()
    .describe("Where in the query's own text, if the engine said"),
});
export type RunFailure = z.infer<typeof RunFailure>;
