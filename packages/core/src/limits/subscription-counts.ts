import { randomUUID } from "node:crypto";
import { asService } from "@querybell/db";
import { createBackgroundWrites } from "../background-writes.ts";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";

interface SubscriptionCountsOptions {
  deps: Pick<Deps, "db">;
  onError: (error: unknown) => void;
}

export interface SubscriptionCounts {
  /** Counts one more subscription, unless the subscriber has `max` of them in all processes. Returns whether it did. */
  open(subscriber: string, max: number): Promise<boolean>;
  /** Counts one less. Nobody waits for it. */
  close(subscriber: string): void;
  /** Call it more often than every 15 seconds: otherwise others take this process for dead, and its counts for zero. */
  renew(): Promise<void>;
  /** Removes the counts of this process. */
  stop(): Promise<void>;
}

const lease = "15 seconds";

/** How many live subscriptions each subscriber has open in this process, added up with those of the others. */
export function createSubscriptionCounts({
  deps: { db },
  onError,
}: SubscriptionCountsOptions): SubscriptionCounts {
  const processId = randomUUID();
  let hasCounted = false;
  const writes = createBackgroundWrites(onError);
  const toSubject = (subscriber: string) => Buffer.from(hashToken(subscriber));
  const query = (name: string, text: string, values: unknown[]) =>
    asService(() => db.pool.query<{ isOpened?: boolean }>({ name, text, values }));

  return {
    async open(subscriber, max) {
      // A client that opens one again after it has closed another one is not refused for the closed one.
      await writes.close();
      hasCounted = true;
      const values = [toSubject(subscriber), processId, max, lease];
      const text = `SELECT open_subscription($1, $2, $3, $4::interval) AS "isOpened"`;
      const { rows } = await query("open_subscription", text, values);
      return rows[0]?.isOpened === true;
    },
    close(subscriber) {
      const text = "UPDATE open_subscriptions SET count = count - 1 WHERE subject = $1 AND process_id = $2";
      writes.add(query("close_subscription", text, [toSubject(subscriber), processId]));
    },
    async renew() {
      const text = `
        WITH ended AS (DELETE FROM open_subscriptions WHERE process_id = $1 AND count <= 0)
        UPDATE open_subscriptions SET expires_at = querybell_now() + $2::interval WHERE process_id = $1 AND count > 0`;
      await query("renew_subscriptions", text, [processId, lease]);
    },
    async stop() {
      await writes.close();
      if (!hasCounted) return;
      const text = "DELETE FROM open_subscriptions WHERE process_id = $1";
      // Without it, they expire.
      await query("stop_subscriptions", text, [processId]).catch(onError);
    },
  };
}
