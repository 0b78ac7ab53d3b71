import { z } from "zod";

/** The objects for the flood, all created before. */
export const FloodRequest = z.object({
  url: z.string(),
  publicUrl: z.string(),
  /** Several keys, because calls are limited by key. */
  keys: z.object({ pages: z.string(), runs: z.string(), big: z.string(), triggers: z.string() }),
  email: z.string(),
  password: z.string(),
  /** Slow queries, and one that takes large values. */
  slowQueryIds: z.array(z.string()),
  bigQueryId: z.string(),
  /** The database for queries with a long statement. */
  analyticalDatabaseConfigId: z.string(),
  automationIds: z.array(z.string()),
  silentPort: z.int(),
});
export type FloodRequest = z.infer<typeof FloodRequest>;

/** The requests of the flood so far. */
export const FloodReport = z.object({
  /** How often each kind of request got each status. */
  answers: z.record(z.string(), z.int()),
  /** The share of one core that the flood's process used. */
  cpuShare: z.number(),
});
export type FloodReport = z.infer<typeof FloodReport>;

export const floodEntry = new URL("flood-process.ts", import.meta.url);
