import type { WebhookDeliveryState } from "@querybell/domain";
import { createAttemptPartitions } from "../deliveries/attempt-partitions.ts";
import { purgeWebhookHistory } from "../deliveries/purge-history.ts";
import { pumpTest } from "./pump-test.ts";

export const hour = 3_600_000;
export const day = 24 * hour;
/** The retention period of these tests. */
export const days = 30;
/** The default partition. */
export const other = "webhook_attempts_other";

interface Added {
  state?: WebhookDeliveryState;
  attempts?: number;
  count?: number;
}

/** A test with an endpoint, whose attempts it adds and finds. */
export const attemptTest = pumpTest
  .extend("endpoint", { scope: "file" }, async ({ hooks }) => {
    const owner = await hooks.owner();
    return { ...owner, ...(await hooks.endpoint(owner, "https://example.test/")) };
  })
  .extend("attempts", { scope: "file" }, ({ db, endpoint }) => {
    const { pool } = db;
    return {
      /** Adds events of now with a delivery each, and its attempts. Bodies are so large that they are stored outside of the row. */
      async add({ state = "succeeded", attempts = 2, count = 1 }: Added = {}): Promise<string> {
        const { rows } = await pool.query<{ id: string }>(
          `WITH event AS (
             INSERT INTO webhook_events (id, organization_id, type, body, created_at)
             SELECT uuidv7(querybell_now() - now()), $1, 'automation.run.completed', '', querybell_now()
             FROM generate_series(1, $2) RETURNING id
           ), delivery AS (
             INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, attempt_count, next_attempt_at, created_at,
               state_changed_at)
             SELECT uuidv7(querybell_now() - now()), id, $3, $4, $5, querybell_now(), querybell_now(), querybell_now()
             FROM event RETURNING id
           ), attempt AS (
             INSERT INTO webhook_attempts (delivery_id, number, outcome, sentence, started_at, ended_at, reused_connection,
               request_headers, secret_id, response_body, total_ms)
             SELECT id, n, 'success', 'It was answered.', querybell_now(), querybell_now(), true, '[]', $6,
               CASE WHEN $2 = 1 THEN (SELECT string_agg(uuid_send(gen_random_uuid()), '') FROM generate_series(1, 256)) END, 1
             FROM delivery, generate_series(1, $5::int) n
           )
           SELECT id FROM delivery`,
          [endpoint.organizationId, count, endpoint.id, state, attempts, endpoint.secret.id],
        );
        return rows[0]?.id ?? "";
      },
      /** The attempts of a delivery. */
      of: async (deliveryId: string) =>
        (
          await pool.query("SELECT * FROM webhook_attempts WHERE delivery_id = $1 ORDER BY number", [
            deliveryId,
          ])
        ).rows,
      /** The partition that has the attempts of a delivery. */
      async partitionOf(deliveryId: string): Promise<string | undefined> {
        const { rows } = await pool.query<{ name: string }>(
          `SELECT DISTINCT c.relname AS name FROM webhook_attempts a JOIN pg_class c ON c.oid = a.tableoid
           WHERE delivery_id = $1`,
          [deliveryId],
        );
        return rows[0]?.name;
      },
      async partitions(): Promise<{ name: string; days: number }[]> {
        const { rows } = await pool.query<{ name: string; days: number }>(
          `SELECT name, (extract(epoch FROM ends_at - begins_at) / 86400)::float AS days
           FROM partitions.webhook_attempt_partitions ORDER BY ends_at`,
        );
        return rows;
      },
      exists: async (deliveryId: string) =>
        (await db.prisma.webhookDelivery.count({ where: { id: deliveryId } })) === 1,
    };
  });

/** Begins with a new partition, whose name it knows. */
export const partitionTest = attemptTest.extend("partition", async ({ db, clock, attempts }) => {
  await db.pool.query("DELETE FROM webhook_events");
  await clock.advance(400 * day);
  await purgeWebhookHistory(db.pool, { days: 1 });
  await createAttemptPartitions(db.pool, { days });
  await clock.advance(hour);
  const [first] = await attempts.partitions();
  if (!first) throw new Error("No partition was created.");
  return first.name;
});
