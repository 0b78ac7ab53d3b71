import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { emitEvents } from "@querybell/webhooks";
import { numberedEvent } from "./emission.ts";

interface Backlog {
  organizationIds: string[];
  /** Numbers from the first on, in turn over the organizations. */
  first: number;
  count: number;
}

const batch = 200;

/** Emits all of it in one transaction; returns how many statements that took. */
export async function commitBacklog(deps: Deps, { organizationIds, first, count }: Backlog): Promise<number> {
  return deps.db.transaction(async (tx) => {
    let emitting = 0;
    for (let done = 0; done < count; done += batch, emitting++) {
      const numbers = Array.from(
        { length: Math.min(batch, count - done) },
        (_, index) => first + done + index,
      );
      const emissions = numbers.map((number) => numberedEvent(deps, { organizationIds, number }));
      await emitEvents({ ...deps, tx }, emissions);
    }
    // With the beginning and the end.
    return emitting + 2;
  });
}

/** Waits until every delivery has its outcome written down; returns how many statements asking took. */
export async function allRecorded({ db }: Deps): Promise<number> {
  for (let asked = 1; ; asked++) {
    const { rowCount } = await db.pool.query(
      "SELECT FROM webhook_deliveries WHERE state = 'pending' LIMIT 1",
    );
    if (rowCount === 0) return asked;
    await delay(5);
  }
}
