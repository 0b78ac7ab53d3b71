import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { numberedEvent } from "./numbered-event.ts";

interface Backlog {
  organizationIds: string[];
  /** The first event number. Numbers go round-robin over the organizations. */
  first: number;
  count: number;
}

const batch = 200;

/** Emits the backlog in one transaction; returns the number of SQL statements. */
export async function commitBacklog(deps: Deps, { organizationIds, first, count }: Backlog): Promise<number> {
  return deps.db.transaction(async (tx) => {
    let statements = 0;
    for (let done = 0; done < count; done += batch, statements++) {
      const numbers = Array.from(
        { length: Math.min(batch, count - done) },
        (_, index) => first + done + index,
      );
      const emissions = numbers.map((number) => numberedEvent(deps, { organizationIds, number }));
      await emitEvents({ ...deps, tx }, emissions);
    }
    // Plus BEGIN and COMMIT.
    return statements + 2;
  });
}

/** Waits until every delivery has a recorded outcome; returns the number of SQL statements used to poll. */
export async function allRecorded({ db }: Deps): Promise<number> {
  for (let polls = 1; ; polls++) {
    const { rowCount } = await db.pool.query(
      "SELECT FROM webhook_deliveries WHERE state = 'pending' LIMIT 1",
    );
    if (rowCount === 0) return polls;
    await delay(5);
  }
}
