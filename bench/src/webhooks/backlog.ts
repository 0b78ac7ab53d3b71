import { setTimeout as delay } from "node:timers/promises";
import { type Deps, emitEvent } from "@querybell/core";
import { numberedEvent } from "./emission.ts";

interface Backlog {
  organizationIds: string[];
  /** Numbers from the first on, in turn over the organizations. */
  first: number;
  count: number;
}

const batch = 200;

/** Emits without measuring: many events to a transaction. */
export async function commitBacklog(deps: Deps, { organizationIds, first, count }: Backlog): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    await deps.db.transaction(async (tx) => {
      for (let number = first + done; number < first + Math.min(done + batch, count); number++) {
        const organizationId = organizationIds[number % organizationIds.length] ?? "";
        await emitEvent({ tx, clock: deps.clock }, numberedEvent(deps, { organizationId, number }));
      }
    });
  }
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
