import type { Pool } from "@querybell/db";

/**
 * How long a pump keeps its endpoints without renewing its lease. It renews every second, so only a pump that is
 * stopped or cut off from the database expires. Longer than an attempt can take (10 s), so that when another pump takes
 * over, the attempts of the old one have usually ended.
 *
 * Leases use now() and not querybell_now(): whether a process is alive depends on real time.
 */
const leaseSeconds = 12;

/** Inserts the pump's row. Its id is the fencing token: new for every session, and valid while the row exists. */
export async function registerPump(pool: Pool, pumpId: string): Promise<void> {
  await pool.query({
    name: "register_webhook_pump",
    text: `INSERT INTO webhook_pumps (id, lease_until) VALUES ($1, now() + make_interval(secs => $2))`,
    values: [pumpId, leaseSeconds],
  });
}

/**
 * Renews the one lease for all endpoints that the pump holds, and expires other pumps whose lease has run out:
 * deleting their row frees their endpoints, and keeps them from recording anything if they continue later.
 * Returns false if this pump has been expired itself.
 */
export async function renewLease(pool: Pool, pumpId: string): Promise<boolean> {
  const { rows } = await pool.query<{ hasLease: boolean }>({
    name: "renew_webhook_pump_lease",
    text: `
      WITH renewed AS (
        UPDATE webhook_pumps SET lease_until = now() + make_interval(secs => $2) WHERE id = $1 RETURNING id
      ), expired AS (
        DELETE FROM webhook_pumps WHERE id IN (
          SELECT id FROM webhook_pumps WHERE lease_until < now() AND id <> $1 FOR UPDATE SKIP LOCKED)
      )
      SELECT EXISTS (SELECT FROM renewed) AS "hasLease"`,
    values: [pumpId, leaseSeconds],
  });
  return rows[0]?.hasLease ?? false;
}

/** Deletes the pump's row, which frees its endpoints at once. */
export async function unregisterPump(pool: Pool, pumpId: string): Promise<void> {
  await pool.query({
    name: "unregister_webhook_pump",
    text: "DELETE FROM webhook_pumps WHERE id = $1",
    values: [pumpId],
  });
}

/**
 * Acquires those of the endpoints that no pump holds and that have a delivery due; returns their ids. NO KEY UPDATE,
 * because an insert of a delivery locks its endpoint's key, and SKIP LOCKED must not skip the endpoint for that.
 */
export async function acquireEndpoints(pool: Pool, pumpId: string, endpointIds: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "acquire_webhook_endpoints",
    text: `
      WITH free AS (
        SELECT e.id FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
        WHERE e.id = ANY($2::uuid[]) AND e.lease_owner IS NULL AND e.state = 'enabled' AND o.webhooks_enabled
          AND EXISTS (
            SELECT FROM webhook_deliveries d
            WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= querybell_now())
        ORDER BY e.id FOR NO KEY UPDATE OF e SKIP LOCKED
      )
      UPDATE webhook_endpoints e SET lease_owner = $1 FROM free
      WHERE e.id = free.id AND EXISTS (SELECT FROM webhook_pumps WHERE id = $1)
      RETURNING e.id`,
    values: [pumpId, endpointIds],
  });
  return rows.map(({ id }) => id);
}

export async function releaseEndpoints(pool: Pool, pumpId: string, endpointIds: string[]): Promise<void> {
  await pool.query({
    name: "release_webhook_endpoints",
    text: "UPDATE webhook_endpoints SET lease_owner = NULL WHERE id = ANY($2::uuid[]) AND lease_owner = $1",
    values: [pumpId, endpointIds],
  });
}
