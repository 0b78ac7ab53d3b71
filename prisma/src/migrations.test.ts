import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createDatabase, startThrowawayPostgres, withConnection } from "@querybell/embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { migrationScript, nextStamp } from "./create-migration.ts";
import { listAppliedMigrations, readDatabaseState } from "./database-state.ts";
import { applyMigrations } from "./index.ts";
import { listMigrations } from "./migrations-folder.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

test("the migrations give exactly what prisma/schema and prisma/functions say", async () => {
  expect(await migrationScript(server)).toBe("");
});

test("a new migration is named after all that exist, also if their times are ahead of the clock", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  expect(nextStamp(["20260228235959_before", "migration_lock.toml"], now)).toBe("20260301120000");
  expect(nextStamp(["20260302235959_ahead", "20260228235959_before"], now)).toBe("20260303000000");
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

test("a database with all the migrations that the baseline replaces is marked as having it, with its rows", async () => {
  await using database = await createDatabase(server);
  await applyMigrations(database.url);
  await withConnection(database.url, async (client) => {
    await client.query(
      "INSERT INTO users VALUES (uuidv7(), 'Ann', 'ann@example.test', true, null, now(), now())",
    );
    const [first, ...later] = await listMigrations();
    // As 31 migrations left it, the last of which was this one.
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name)
       SELECT gen_random_uuid(), '', now(), name FROM (
         SELECT '20261117014813_host_deaths' UNION ALL SELECT '20261115' || n FROM generate_series(1, 30) n) names(name)`,
    );
    await client.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [first]);
    expect(await readDatabaseState(client)).toMatchObject({ pending: [], unknown: [] });

    expect(await applyMigrations(database.url)).toEqual([]);
    expect(await listAppliedMigrations(client)).toEqual([first, ...later]);
    expect((await client.query("SELECT email FROM users")).rows).toEqual([{ email: "ann@example.test" }]);

    await client.query("UPDATE _prisma_migrations SET migration_name = '20261115000000_identity'");
    await expect(applyMigrations(database.url)).rejects.toThrow(
      "The database has some of the migrations that the first one of this version replaces, but not all.",
    );
  });
});

test("the addresses in audit entries of before are in a table of their own, and the entries keep the rest", async () => {
  await using database = await createDatabase(server);
  const migrations = await listMigrations();
  const before = migrations.slice(0, migrations.indexOf("20261119050000_audit_people"));
  await applyMigrations(database.url, { upTo: before });
  await withConnection(database.url, async (client) => {
    for (const slug of ["acme", "other"]) {
      await client.query(
        "INSERT INTO organizations (id, name, slug, rest_compatibility, created_at) VALUES (uuidv7(), $1, $1, 'live', now())",
        [slug],
      );
      for (const detail of [
        { email: "kim@example.test", role: "member" },
        { email: "kim@example.test" },
        { email: null },
        { name: "Key" },
      ]) {
        await client.query(
          `INSERT INTO audit_entries (id, organization_id, at, action, target_id, detail)
           SELECT uuidv7(), id, now(), 'invitation.created', 'target', $2 FROM organizations WHERE slug = $1`,
          [slug, detail],
        );
      }
    }
    await applyMigrations(database.url);
    const { rows } = await client.query<{ slug: string; detail: object; email: string | null }>(
      `SELECT slug, detail - 'personId' AS detail, p.email FROM audit_entries e JOIN organizations o ON o.id = e.organization_id
       LEFT JOIN audit_people p ON p.id::text = e.detail->>'personId' AND p.organization_id = e.organization_id
       ORDER BY slug, e.id`,
    );
    const expected = [
      { detail: { role: "member" }, email: "kim@example.test" },
      { detail: {}, email: "kim@example.test" },
      { detail: { email: null }, email: null },
      { detail: { name: "Key" }, email: null },
    ];
    expect(rows).toEqual(["acme", "other"].flatMap((slug) => expected.map((entry) => ({ slug, ...entry }))));
    await expect(client.query("UPDATE audit_entries SET detail = '{}'")).rejects.toThrow(
      "the audit log is never edited",
    );
  });
});

test("queries and automations of before the lists by last run have theirs", async () => {
  await using database = await createDatabase(server);
  const migrations = await listMigrations();
  const before = migrations.slice(0, migrations.indexOf("20261118020000_folders"));
  await applyMigrations(database.url, { upTo: before });
  await withConnection(database.url, async (client) => {
    const [organization, user, configuration] = [1, 2, 3].map(
      (n) => `00000000-0000-7000-8000-00000000000${n}`,
    );
    await client.query("INSERT INTO users VALUES ($1, 'Ann', 'ann@example.test', true, null, now(), now())", [
      user,
    ]);
    await client.query(
      "INSERT INTO organizations (id, name, slug, rest_compatibility, created_at) VALUES ($1, 'Acme', 'acme', 'live', now())",
      [organization],
    );
    await client.query(
      `INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, created_at, updated_at)
       VALUES ($1, $2, 'Shop', 'duckdb', '{}', '{}', now(), now())`,
      [configuration, organization],
    );
    await client.query(
      `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, name, created_by, created_at, updated_at,
         deleted_at)
       SELECT uuidv7(), $1, $2, 'SELECT 1', name, $3, now(), now(), CASE WHEN name = 'deleted' THEN now() END
       FROM unnest('{ran,waits,deleted}'::text[]) name`,
      [organization, configuration, user],
    );
    await client.query(
      `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at)
       SELECT uuidv7(), organization_id, id, '', '{}', '{}', int4send(day), '', make_timestamptz(2026, 11, day, 0, 0, 0, 'UTC')
       FROM queries, generate_series(1, 3) day WHERE name <> 'waits'`,
    );
    await applyMigrations(database.url);
    const { rows } = await client.query(
      `SELECT q.name, l.last_run_at::date::text AS day FROM query_last_runs l JOIN queries q ON q.id = l.query_id ORDER BY 1`,
    );
    expect(rows).toEqual([
      { name: "ran", day: "2026-11-03" },
      { name: "waits", day: "-infinity" },
    ]);
  });
});

test("policies and roles of before hide the results of before", async () => {
  await using database = await createDatabase(server);
  const migrations = await listMigrations();
  const before = migrations.slice(0, migrations.indexOf("20261119095000_result_row_rights"));
  await applyMigrations(database.url, { upTo: before });
  await withConnection(database.url, async (client) => {
    await client.query(
      `INSERT INTO organizations (id, name, slug, rest_compatibility, created_at)
       SELECT uuidv7(), slug, slug, 'live', now() FROM unnest('{policies,roles,nothing}'::text[]) slug`,
    );
    await client.query(
      `INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, created_at, updated_at,
         row_policies, group_roles)
       SELECT uuidv7(), id, slug, 'postgres', '{}', '{}', now(), now(), CASE slug WHEN 'policies' THEN '[{}]' ELSE '[]' END::jsonb,
         CASE slug WHEN 'roles' THEN '[{}]' ELSE '[]' END::jsonb FROM organizations`,
    );
    await applyMigrations(database.url);
    const { rows } = await client.query(
      `SELECT slug, has_row_rights AS "hasRowRights", row_rights_version AS version
       FROM organizations o JOIN analytical_database_configs d ON d.organization_id = o.id AND d.name = slug ORDER BY slug`,
    );
    expect(rows).toEqual([
      { slug: "nothing", hasRowRights: false, version: 0 },
      { slug: "policies", hasRowRights: true, version: 1 },
      { slug: "roles", hasRowRights: true, version: 1 },
    ]);
  });
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
    /^MigrationError: The migration \d{14}_baseline failed [^\n]+: ERROR: schema "partitions" already exists$/,
  );
  expect(pending).toEqual([]);
});

test("a query gets the definitions that its runs used, and its references keep theirs and get names", async () => {
  await using database = await createDatabase(server);
  const all = await listMigrations();
  const upTo = all.slice(
    0,
    all.findIndex((name) => name.endsWith("_query_parameters")),
  );
  await applyMigrations(database.url, { upTo });
  await withConnection(database.url, async (client) => {
    const ids = { organization: 1, user: 2, database: 3, query: 4, plain: 5 };
    const idOf = (name: keyof typeof ids) => `00000000-0000-7000-8000-00000000000${ids[name]}`;
    const define = (name: string, displayName: string) => ({
      name,
      displayName,
      type: "date",
      description: "",
      defaultValue: "today",
    });
    await client.query(
      `INSERT INTO organizations (id, name, slug, rest_compatibility, created_at)
       VALUES ($1, 'A', 'a', 'live', now())`,
      [idOf("organization")],
    );
    await client.query("INSERT INTO users VALUES ($1, 'Ann', 'ann@example.test', true, null, now(), now())", [
      idOf("user"),
    ]);
    await client.query(
      `INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, created_at, updated_at)
       VALUES ($1, $2, 'D', 'duckdb', '{}', '{}', now(), now())`,
      [idOf("database"), idOf("organization")],
    );
    for (const [name, sql] of [
      ["query", "SELECT {{since}}, {{until}}"],
      ["plain", "SELECT {{since}}"],
    ] as const) {
      await client.query(
        `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, now(), now())`,
        [idOf(name), idOf("organization"), idOf("database"), sql, idOf("user")],
      );
    }
    const published = [
      { parameters: [define("since", "Deleted")], deleted: true },
      { parameters: [define("since", "Oldest")], deleted: false },
      { parameters: [], deleted: false },
      {
        parameters: [define("unused", "Unused"), define("until", "Until"), define("since", "Newer")],
        deleted: false,
      },
    ];
    for (const [index, { parameters, deleted }] of published.entries()) {
      await client.query(
        `INSERT INTO query_references (id, organization_id, short_id, query_id, title, parameters, created_by, created_at,
           updated_at, deleted_at)
         VALUES (uuidv7(), $1, $2, $3, 'R', $4, $5, now() + make_interval(secs => $6), now(), CASE WHEN $7 THEN now() END)`,
        [
          idOf("organization"),
          `abcdefgh2${index + 2}`,
          idOf("query"),
          JSON.stringify(parameters),
          idOf("user"),
          index,
          deleted,
        ],
      );
    }
    await applyMigrations(database.url);
    const stored = await client.query(
      "SELECT query_id, version, definitions, choices, ranges FROM query_parameters",
    );
    expect(stored.rows).toEqual([
      {
        query_id: idOf("query"),
        version: 1,
        definitions: [define("since", "Oldest"), define("until", "Until")],
        choices: {},
        ranges: [],
      },
    ]);
    const kept = await client.query("SELECT parameters FROM query_references ORDER BY created_at");
    expect(kept.rows).toEqual(published.map(({ parameters }) => ({ parameters })));
    const { rows } = await client.query("SELECT expired_result_days AS days FROM organizations");
    expect(rows).toEqual([{ days: 0 }]);
    // All of them have the same title. The oldest gets its name.
    const names = await client.query(
      "SELECT name FROM query_references r JOIN chart_names n ON n.reference_id = r.id ORDER BY r.created_at",
    );
    const longer = { name: expect.stringMatching(/^r_[0-9a-f]{32}$/) };
    expect(names.rows).toEqual([{ name: "r" }, longer, longer, longer]);
  });
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
