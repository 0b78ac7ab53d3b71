import type { Deps } from "@querybell/core";

const tables = ["queries", "query_references", "query_runs"];
// Lower than every transaction id that a cluster assigns, so it is visible in every snapshot.
const alwaysVisible = "'3'::xid8";

const sameCluster = `
  SELECT EXISTS (
    SELECT 1 FROM transaction_origin o JOIN pg_control_system() c ON o.system_identifier = c.system_identifier::text
  ) AS same`;

/**
 * After a dump was restored into another cluster, its rows have transaction ids that the new cluster may not have
 * assigned yet, and lists would leave them out. Called at the start of every process. The first process sets an id that
 * is always visible, and deletes the old row versions. Older cursors have another database identity, so they fail with
 * `cursor_expired`.
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
  // The triggers would treat the new ids as changes of the rows.
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const table of ["queries", "query_references"]) {
    await client.query(`
      UPDATE ${table} SET created_xid = ${alwaysVisible}, changed_xid = ${alwaysVisible},
        deleted_xid = CASE WHEN deleted_at IS NOT NULL THEN ${alwaysVisible} END`);
  }
  await client.query(`
    UPDATE query_runs SET created_xid = ${alwaysVisible},
      started_xid = CASE WHEN started_xid IS NOT NULL THEN ${alwaysVisible} END,
      ended_xid = CASE WHEN ended_xid IS NOT NULL THEN ${alwaysVisible} END`);
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  await client.query("TRUNCATE row_versions");
  await client.query("DELETE FROM transaction_origin");
  await client.query("INSERT INTO transaction_origin SELECT system_identifier FROM pg_control_system()");
}
