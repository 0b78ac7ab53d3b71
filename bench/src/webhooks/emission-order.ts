import { z } from "zod";

export const EmissionOrder = z.object({
  /** Number n goes to the organization at n modulo their count. */
  organizationIds: z.array(z.string()),
  numbers: z.array(z.int()),
  /** How many transactions at once. */
  lanes: z.int(),
  /** Most in a second; without it as fast as it goes. */
  perSecond: z.number().optional(),
  /** Whether to report each commit; reporting costs the emitter more than emitting. */
  report: z.boolean(),
});
export type EmissionOrder = z.infer<typeof EmissionOrder>;

/** Sent after the commit. `id` is missing when an earlier emitter had committed this number already. */
export const Emitted = z.object({ number: z.int(), id: z.string().optional(), committedAt: z.number() });
export type Emitted = z.infer<typeof Emitted>;

export const emitterEntry = new URL("emitter-process.ts", import.meta.url);
