import { z } from "zod";

export const EmissionOrder = z.object({
  organizationIds: z.array(z.string()),
  numbers: z.array(z.int()),
  /** How many transactions at once, and how many events in each. */
  lanes: z.int(),
  together: z.int(),
  /** Most transactions in a second; without it as fast as it goes. */
  perSecond: z.number().optional(),
  /** Whether to report each commit; reporting costs the emitter more than emitting. */
  report: z.boolean(),
});
export type EmissionOrder = z.infer<typeof EmissionOrder>;

/** Sent after the commit. The ids of numbers that an earlier emitter had committed already are missing. */
export const Emitted = z.object({
  numbers: z.array(z.int()),
  ids: z.array(z.string()),
  committedAt: z.number(),
});
export type Emitted = z.infer<typeof Emitted>;

export const emitterEntry = new URL("emitter-process.ts", import.meta.url);
