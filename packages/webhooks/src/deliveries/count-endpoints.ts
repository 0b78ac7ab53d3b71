import type { Pool } from "../pool.ts";

/** Counts the endpoints of the whole installation by state, without deleted ones. */
export async function countEndpoints(pool: Pool): Promise<Record<"enabled" | "disabled", number>> {
  const { rows } = await pool.query<Record<"enabled" | "disabled", number>>({
    name: "count_webhook_endpoints",
    text: `
      SELECT (count(*) FILTER (WHERE state = 'enabled'))::int AS enabled,
        (count(*) FILTER (WHERE state = 'disabled'))::int AS disabled
      FROM webhook_endpoints WHERE state <> 'deleted'`,
  });
  return rows[0] ?? { enabled: 0, disabled: 0 };
}
