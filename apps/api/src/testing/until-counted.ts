import type { Deps } from "@querybell/core";
import { expect, vi } from "vitest";

/**
 * Waits until the database knows of the calls that were answered: the api tells it a moment later, and the database counts
 * them by its own time. A test that moves the clock meanwhile would move these calls with it.
 */
export const untilCounted = ({ db: { pool } }: Pick<Deps, "db">): Promise<void> =>
  vi.waitFor(() => expect(pool.idleCount).toBe(pool.totalCount), { timeout: 60_000 });
