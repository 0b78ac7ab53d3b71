import { z } from "zod";

/** What the hostile organization floods with; everything was made before. */
export const FloodRequest = z.object({
  url: z.string(),
  publicUrl: z.string(),
  /** Several, since calls are limited for each key. */
  keys: z.object({ pages: z.string(), runs: z.string(), big: z.string(), triggers: z.string() }),
  email: z.string(),
  password: z.string(),
  /** Queries that take long, and one whose parameter takes big values. */
  slowQueryIds: z.array(z.string()),
  bigQueryId: z.string(),
  /** Where a query with a long statement would be created. */
  analyticalDatabaseConfigId: z.string(),
  automationIds: z.array(z.string()),
  silentPort: z.int(),
});
export type FloodRequest = z.infer<typeof FloodRequest>;

/** What a flood has done so far. */
export const FloodReport = z.object({
  /** How often each kind of request got each status. */
  answers: z.record(z.string(), z.int()),
  /** Of one core, what the flood's own process took. */
  cpuShare: z.number(),
});
export type FloodReport = z.infer<typeof FloodReport>;

export const floodEntry = new URL("flood-process.ts", import.meta.url);
