import { z } from "zod";

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
