import { z } from "zod";

/**
 * Why a run failed. A failed run is a stored result and not an error of a request, so these codes are separate from the
 * error codes. The few codes that are in both have the same meaning.
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
    .describe("The position in the query's text, if the engine reports one"),
});
export type RunFailure = z.infer<typeof RunFailure>;

/** How far a cluster says that it is with a run. A split is a part of the data that one node reads at a time. */
export const EngineProgress = z.object({
  /** In the engine's own words, such as PLANNING or RUNNING. */
  state: z.string().max(100),
  rowsRead: z.int(),
  bytesRead: z.int(),
  completedSplits: z.int(),
  totalSplits: z.int(),
});
export type EngineProgress = z.infer<typeof EngineProgress>;
