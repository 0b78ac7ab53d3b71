import type { Deps } from "@querybell/core";

const listed = ["queries", "query_references", "query_runs"];
// Before every transaction that a cluster ever gives a number: visible in any snapshot.
const always = "'3'::xid8";

const sameCluster = `
  SELECT EXISTS (
    SELECT 1 FROM transaction_origin o JOIN pg_control_system() c ON o.system_identifier = c.system_identifier::text
  ) AS same`;

/**
 * A dump that was restored into another cluster carries transaction numbers of the old one, where the new one
 * may not have arrived yet: its rows would be missing from lists. Called at the start of every process; the
 * first one to notice gives all rows a number that is always visible and forgets their old versions. Cursors
 * from before have another database's identity and answer `cursor_expired`.
 */
export async function rebaseAfterRestore({ db }: Pick<Deps, "db">): Promise<void> {
  const { rows } = await db.pool.query("SELECT to_regclass('transaction_origin') IS NOT NULL AS migrated");
  if (!rows[0].migrated || (await isSameCluster(db.pool))) return;
  const client = await db.pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(hashtext('querybell_rebase_after_restore'))");
    if (!(await isSameCluster(client))) await rebase(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

type Queryable = Pick<Deps["db"]["pool"], "query">;

async function isSameCluster(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ same: boolean }>(sameCluster);
  return rows[0]?.same ?? false;
}

async function rebase(client: Queryable): Promise<void> {
  // The triggers would take the new numbers for changes of the rows.
  for (const table of listed) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const table of ["queries", "query_references"]) {
    await client.query(`
      UPDATE ${table} SET created_xid = ${always}, changed_xid = ${always},
        deleted_xid = CASE WHEN deleted_at IS NOT NULL THEN ${always} END`);
  }
  await client.query(`
    UPDATE query_runs SET created_xid = ${always},
      started_xid = CASE WHEN started_xid IS NOT NULL THEN ${always} END,
      ended_xid = CASE WHEN ended_xid IS NOT NULL THEN ${always} END`);
  for (const table of listed) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  await client.query("TRUNCATE row_versions");
  await client.query("DELETE FROM transaction_origin");
  await client.query("INSERT INTO transaction_origin SELECT system_identifier FROM pg_control_system()");
}
