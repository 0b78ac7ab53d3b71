import { z } from "zod";

/** What the hostile organization floods with; everything was made before. */
export const FloodOrder = z.object({
  url: z.string(),
  publicUrl: z.string(),
  key: z.string(),
  email: z.string(),
  password: z.string(),
  /** Queries that take long, and one whose parameter takes big values. */
  slowQueryIds: z.array(z.string()),
  bigQueryId: z.string(),
  automationIds: z.array(z.string()),
  silentPort: z.int(),
});
export type FloodOrder = z.infer<typeof FloodOrder>;

export const floodEntry = new URL("flood-process.ts", import.meta.url);
