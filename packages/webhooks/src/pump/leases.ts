import type { Pool } from "./pool.ts";

// Whether a pump lives is a matter of real time, so leases ask for now() and not for querybell_now().
const leaseSeconds = 12;

/** Makes a pump known. Its id is its fencing token: new at each start, and good until the row is gone. */
export async function register(pool: Pool, pumpId: string): Promise<void> {
  await pool.query({
    name: "register_webhook_pump",
    text: `INSERT INTO webhook_pumps (id, lease_until) VALUES ($1, now() + make_interval(secs => $2))`,
    values: [pumpId, leaseSeconds],
  });
}

/**
 * Renews one lease for all endpoints that the pump holds, and buries pumps whose lease has run out: removing
 * their row frees their endpoints, and keeps them from writing anything should they wake up again.
 * Returns false when it is this pump that was buried.
 */
export async function renewLease(pool: Pool, pumpId: string): Promise<boolean> {
  const { rows } = await pool.query<{ alive: boolean }>({
    name: "renew_webhook_pump_lease",
    text: `
      WITH renewed AS (
        UPDATE webhook_pumps SET lease_until = now() + make_interval(secs => $2) WHERE id = $1 RETURNING id
      ), buried AS (
        DELETE FROM webhook_pumps WHERE id IN (
          SELECT id FROM webhook_pumps WHERE lease_until < now() AND id <> $1 FOR UPDATE SKIP LOCKED)
      )
      SELECT EXISTS (SELECT FROM renewed) AS alive`,
    values: [pumpId, leaseSeconds],
  });
  return rows[0]?.alive ?? false;
}

/** Ends a pump in order: its endpoints are free at once. */
export async function unregister(pool: Pool, pumpId: string): Promise<void> {
  await pool.query({
    name: "unregister_webhook_pump",
    text: "DELETE FROM webhook_pumps WHERE id = $1",
    values: [pumpId],
  });
}

/**
 * Takes those of the endpoints that nobody holds and that have something due. Inserting a delivery locks
 * its endpoint's key, which must not hide the endpoint here: hence NO KEY UPDATE.
 */
export async function takeEndpoints(pool: Pool, pumpId: string, endpointIds: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "take_webhook_endpoints",
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
