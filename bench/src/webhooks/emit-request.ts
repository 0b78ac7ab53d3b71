import { z } from "zod";

export const EmitRequest = z.object({
  organizationIds: z.array(z.string()),
  /** An automation of each organization. If absent, the events name automations that do not exist. */
  automationIds: z.array(z.string()).optional(),
  numbers: z.array(z.int()),
  /** Concurrent transactions, and events in each. */
  concurrency: z.int(),
  batchSize: z.int(),
  /** Maximum transactions per second; unlimited if absent. */
  perSecond: z.number().optional(),
  /** Whether to report each commit; reporting costs the emitter more than emitting. */
  report: z.boolean(),
});
export type EmitRequest = z.infer<typeof EmitRequest>;

/** Sent after the commit. `ids` lacks numbers that an earlier emitter had already committed. */
export const Emitted = z.object({
  numbers: z.array(z.int()),
  ids: z.array(z.string()),
  /** When the commit was sent, of the monotonic clock: nothing of it can be seen earlier. */
  commitSentAt: z.number(),
});
export type Emitted = z.infer<typeof Emitted>;

export const emitterEntry = new URL("emitter-process.ts", import.meta.url);
