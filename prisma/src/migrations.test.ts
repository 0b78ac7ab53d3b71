import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createDatabase, startThrowawayPostgres, withConnection } from "@querybell/embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { migrationScript } from "./create-migration.ts";
import { readDatabaseState } from "./database-state.ts";
import { applyMigrations } from "./index.ts";
import { listMigrations } from "./migrations-folder.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

test("the migrations give exactly what the schema says", async () => {
  expect(await migrationScript(server)).toBe("");
});

test("applying twice applies once", async () => {
  await using database = await createDatabase(server);
  expect(await applyMigrations(database.url)).toEqual(await listMigrations());
  expect(await applyMigrations(database.url)).toEqual([]);
});

test("of several processes that apply at once, one does it and all end well", async () => {
  await using database = await createDatabase(server);
  const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url)));
  expect(applied.flat()).toEqual(await listMigrations());
});

/** The settings of functions were once made by a migration, which only a superuser could apply. */
test("a database with the first text of a corrected migration ends like a new one", async () => {
  await using older = await createDatabase(server);
  await using newer = await createDatabase(server);
  const all = await listMigrations();
  const at = all.findIndex((name) => name.endsWith("_query_runs_in_one_call"));
  await applyMigrations(older.url, { upTo: all.slice(0, at + 1) });
  await withConnection(older.superuserUrl, async (client) => {
    await client.query(`ALTER FUNCTION claim_query_run SET "querybell.notices" = 'after_commit'`);
    await client.query(
      "UPDATE _prisma_migrations SET checksum = 'of the first text' WHERE migration_name = $1",
      [all[at]],
    );
  });
  expect(await applyMigrations(older.url)).toEqual(all.slice(at + 1));
  await applyMigrations(newer.url);
  const functions = (url: string) =>
    withConnection(url, async (client) => {
      const { rows } = await client.query<{ definition: string; settings: string[] | null }>(
        `SELECT pg_get_functiondef(oid) AS definition, proconfig AS settings FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace ORDER BY oid::regprocedure::text`,
      );
      return rows;
    });
  const definitions = await functions(newer.url);
  expect(await functions(older.url)).toEqual(definitions);
  expect(
    definitions.flatMap(({ settings }) => settings ?? []).filter((setting) => setting.includes(".")),
  ).toEqual([]);
});

test("a database tells which migrations it still lacks", async () => {
  await using database = await createDatabase(server);
  const pool = new pg.Pool({ connectionString: database.url });
  expect((await readDatabaseState(pool)).pending).toEqual(await listMigrations());
  await applyMigrations(database.url);
  expect((await readDatabaseState(pool)).pending).toEqual([]);
  await pool.end();
});

test("a migration that fails is named with the reason, and applied again when that is gone", async () => {
  await using database = await createDatabase(server);
  const pool = new pg.Pool({ connectionString: database.url });
  await pool.query("CREATE SCHEMA partitions");
  const failure = await applyMigrations(database.url).catch(String);
  await pool.query("DROP SCHEMA partitions");
  await applyMigrations(database.url);
  const pending = (await readDatabaseState(pool)).pending;
  await pool.end();
  expect(failure).toMatch(
    /^MigrationError: The migration \d{14}_attempt_partitions failed [^\n]+: ERROR: schema "partitions" already exists$/,
  );
  expect(pending).toEqual([]);
});

/** The process of Postgres that waits for a lock. */
const findWaiting = (pool: pg.Pool): Promise<number> =>
  vi.waitUntil(
    async () => {
      const { rows } = await pool.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows[0]?.pid;
    },
    { timeout: 60_000 },
  );

test("partitions of attempts are made while a worker writes, without a deadlock", async () => {
  await using database = await createDatabase(server);
  const all = await listMigrations();
  const at = all.findIndex((name) => name.endsWith("_attempt_partitions"));
  await applyMigrations(database.url, { upTo: all.slice(0, at) });
  const pool = new pg.Pool({ connectionString: database.url });
  const worker = await pool.connect();
  // As the statement that records an attempt does, one after the other.
  await worker.query("BEGIN; LOCK TABLE webhook_deliveries IN ROW EXCLUSIVE MODE");
  const applying = applyMigrations(database.url);
  await findWaiting(pool);
  const writing = worker.query("LOCK TABLE webhook_attempts IN ROW EXCLUSIVE MODE; COMMIT");
  const [written, applied] = await Promise.allSettled([writing, applying]);
  worker.release();
  await pool.end();
  expect(written).toMatchObject({ status: "fulfilled" });
  expect(applied).toEqual({ status: "fulfilled", value: all.slice(at) });
});

test.each([
  ["executes the rest of its migration", ""],
  ["rolls its migration back", "SELECT pg_terminate_backend($1)"],
])("a process that was killed is followed by another, whether Postgres %s", async (_, endMigration) => {
  await using database = await createDatabase(server);
  const pool = new pg.Pool({ connectionString: database.url });
  const client = await pool.connect();
  // The migration that creates this table waits for the transaction.
  await client.query("BEGIN; CREATE TABLE webhook_attempts ()");
  const killed = fork(join(import.meta.dirname, "commands/apply-migrations.ts"), {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: "ignore",
  });
  const pid = await findWaiting(pool);
  const ended = once(killed, "exit");
  killed.kill("SIGKILL");
  await ended;
  const following = applyMigrations(database.url);
  if (endMigration) await pool.query(endMigration, [pid]);
  await client.query("ROLLBACK");
  client.release();
  await following;
  expect((await readDatabaseState(pool)).pending).toEqual([]);
  await pool.end();
});
