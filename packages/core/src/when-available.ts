import { setTimeout as delay } from "node:timers/promises";
import { toAppError } from "@querybell/db";

/** Longer than it takes to promote a standby. A stopping worker is ended after this time. */
const giveUpAfterMs = 30_000;
const pauseMs = 500;

/** Whether the database did not answer, or only reads at the moment. */
export const isUnavailable = (error: unknown): boolean => toAppError(error)?.code === "unavailable";

/** Repeats work that may be done twice until the database answers. */
export async function whenAvailable<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + giveUpAfterMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error;
    }
    await delay(pauseMs);
  }
}
