import type { Pool } from "@querybell/db";

/** Resolves when a statement of ours waits for a lock, or has ended without waiting. */
export async function waitUntilBlocked(pool: Pool, statement: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = statement.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rowCount) return;
  }
}

/** Runs `meanwhile` while another transaction has run a statement and is still open. */
export async function whileOtherTransaction(
  pool: Pool,
  { has, values }: { has: string; values: unknown[] },
  meanwhile: () => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(has, values);
    await meanwhile();
    await client.query("COMMIT");
  } finally {
    // Does nothing after the COMMIT.
    await client.query("ROLLBACK");
    client.release();
  }
}
