import { shortIdAlphabet } from "@querybell/domain";
import type { Client } from "./open-client.ts";
import type { SeededRandom } from "./seeded-random.ts";

interface Place {
  client: Client;
  random: SeededRandom;
  organizationId: string;
  userId: string;
  databaseId: string;
  /** A clock that advances with every step, so rows of a long transaction have old timestamps when they become visible. */
  now: () => Date;
}

/**
 * Writes at random on one connection: in transactions of one or more steps, committed or rolled back, with savepoints.
 * It never waits for a locked row, so that a test can interleave the steps of several writers in any order.
 */
export function createRandomWriter({ client, random, organizationId, userId, databaseId, now }: Place) {
  let stepsLeft = 0;
  let savepoint = false;
  let startedAt = now();

  const run = (text: string, values: unknown[] = []) => client.query(text, values);

  /** A random row that fulfils the condition and is not locked; undefined if there is none. */
  const some = async (table: string, condition: string): Promise<string | undefined> => {
    const { rows } = await run(
      `SELECT id FROM ${table} WHERE organization_id = $1 AND ${condition}
       ORDER BY md5(id::text || $2) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
      [organizationId, random.hex(8)],
    );
    return rows[0]?.id;
  };

  const change = async (table: string, column: string): Promise<void> => {
    const id = await some(table, "deleted_at IS NULL");
    if (!id) return;
    const value = column === "deleted_at" ? now() : random.hex(6);
    await run(`UPDATE ${table} SET ${column} = $2, updated_at = $3 WHERE id = $1`, [id, value, now()]);
  };

  /** Only once there are many rows, because the test needs lists of many pages. */
  const deleteOne = async (table: string): Promise<void> => {
    const { rows } = await run(
      `SELECT count(*)::int FROM ${table} WHERE organization_id = $1 AND deleted_at IS NULL`,
      [organizationId],
    );
    if (rows[0].count > 25) await change(table, "deleted_at");
  };

  /** As undoing a deletion does. */
  const restore = async (table: string): Promise<void> => {
    const id = await some(table, "deleted_at IS NOT NULL");
    if (id) await run(`UPDATE ${table} SET deleted_at = NULL WHERE id = $1`, [id]);
  };

  const archive = async (table: string): Promise<void> => {
    const id = await some(table, "deleted_at IS NULL");
    const set = "archived_at = CASE WHEN archived_at IS NULL THEN $2::timestamptz END";
    if (id) await run(`UPDATE ${table} SET ${set} WHERE id = $1`, [id, now()]);
  };

  const move = async (table: string): Promise<void> => {
    const id = await some(table, "deleted_at IS NULL");
    const set =
      "folder_id = (SELECT id FROM folders WHERE organization_id = $2 ORDER BY md5(id::text || $3) LIMIT 1)";
    if (id) await run(`UPDATE ${table} SET ${set} WHERE id = $1`, [id, organizationId, random.hex(8)]);
  };

  const changeRun = async (condition: string, set: string): Promise<void> => {
    const id = await some("query_runs", condition);
    if (id) await run(`UPDATE query_runs SET ${set} WHERE id = $1`, [id]);
  };

  const insertReference = async (): Promise<void> => {
    const queryId = random.below(3) === 0 ? undefined : await some("queries", "deleted_at IS NULL");
    const shortId = Array.from({ length: 10 }, () => shortIdAlphabet[random.below(31)]).join("");
    await run(
      `INSERT INTO query_references (id, organization_id, short_id, query_id, title, created_by, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [random.uuid(), organizationId, shortId, queryId, random.hex(6), userId, startedAt],
    );
  };

  const insertQuery = () =>
    run(
      `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6)`,
      [random.uuid(), organizationId, databaseId, random.hex(6), userId, startedAt],
    );

  const insertRun = async (): Promise<void> => {
    const queryId = await some("queries", "deleted_at IS NULL");
    if (!queryId) return;
    await run(
      `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at) VALUES ($1, $2, $3, '', '{}', '{}', $4, '', $5)`,
      [random.uuid(), organizationId, queryId, Buffer.from(random.hex(16)), startedAt],
    );
  };

  const attach = async (): Promise<void> => {
    const id = await some("query_references", "deleted_at IS NULL AND query_id IS NULL");
    const queryId = await some("queries", "deleted_at IS NULL");
    if (id) await run("UPDATE query_references SET query_id = $2 WHERE id = $1", [id, queryId]);
  };

  const toSavepoint = async (): Promise<void> => {
    await run(savepoint ? "ROLLBACK TO SAVEPOINT here" : "SAVEPOINT here");
    savepoint = true;
  };

  const steps = [
    insertReference,
    insertReference,
    insertQuery,
    insertRun,
    insertRun,
    attach,
    toSavepoint,
    () => change("query_references", "title"),
    () => change("query_references", "description"),
    () => deleteOne("query_references"),
    () => deleteOne("query_references"),
    () => deleteOne("query_references"),
    () => change("queries", "sql"),
    () => change("queries", "name"),
    () => deleteOne("queries"),
    () => restore("query_references"),
    () => restore("query_references"),
    () => restore("queries"),
    () => archive("query_references"),
    () => archive("queries"),
    () => move("query_references"),
    () => move("queries"),
    () => changeRun("status = 'pending'", "status = 'running', lease_worker = '', lease_until = now()"),
    () => changeRun("status = 'running'", "status = 'completed', completed_at = now()"),
    () =>
      changeRun(
        "status IN ('pending', 'running')",
        "status = 'failed', completed_at = now(), failure_code = 'x', failure_reason = 'x'",
      ),
  ] as const;

  return {
    /** Creates the first rows in one transaction. */
    async fill(): Promise<void> {
      await run("BEGIN");
      await run(
        `INSERT INTO folders (id, organization_id, name, created_by, created_at, updated_at) VALUES ($1::uuid, $2, $1::text, $3, $4, $4)`,
        [random.uuid(), organizationId, userId, now()],
      );
      for (let count = 0; count < 20; count++) {
        startedAt = now();
        await insertQuery();
        await insertReference();
      }
      await run("COMMIT");
    },
    /** One step: begins a transaction, writes in it, or ends it. */
    async step(): Promise<void> {
      if (stepsLeft === 0) {
        startedAt = now();
        stepsLeft = random.pick([2, 3, 5, 40]);
        savepoint = false;
        await run("BEGIN");
      } else if (--stepsLeft === 0) {
        await run(random.below(4) === 0 ? "ROLLBACK" : "COMMIT");
      } else {
        await steps[random.below(steps.length)]?.();
      }
    },
  };
}
