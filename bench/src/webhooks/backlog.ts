import { setTimeout as delay } from "node:timers/promises";
import { type Deps, emitEvents } from "@querybell/core";
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
    const numbers = Array.from({ length: Math.min(batch, count - done) }, (_, index) => first + done + index);
    const emissions = numbers.map((number) => numberedEvent(deps, { organizationIds, number }));
    await deps.db.transaction((tx) => emitEvents({ ...deps, tx }, emissions));
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
