import { withConnection } from "@querybell/core/testing";
import pg from "pg";
import { expect } from "vitest";
import { openPageStore } from "./page-store.ts";
import { publicTest as test } from "./testing/public-test.ts";

const refused = { code: "42501" };

test("the role may call twelve functions, and neither read nor change a table", async ({
  publicDatabaseUrl,
  databaseUrl,
}) => {
  const rows = await withConnection(publicDatabaseUrl, async (client) => {
    const { rows: relations } = await client.query(`
      SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' AND CASE
        WHEN c.relkind IN ('r', 'p', 'v', 'm', 'f')
          THEN has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
        WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE, SELECT, UPDATE') ELSE false END`);
    // What anybody may call runs with the rights of who calls it, unless it is a definer's.
    const { rows: functions } = await client.query(`
      SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.prosecdef
        AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') ORDER BY 1`);
    const { rows: role } = await client.query(`
      SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS roles,
        has_database_privilege(current_database(), 'CREATE') AS creates_schemas,
        has_schema_privilege('public', 'CREATE') AS creates_tables
      FROM pg_roles r WHERE rolname = current_user`);
    return { relations, functions, role };
  });
  expect(rows.relations).toEqual([]);
  expect(rows.functions.map(({ name }) => name)).toEqual([
    "count_page_views",
    "find_embed_session",
    "find_embedding_key",
    "find_public_link",
    "open_embed_session",
    "read_embed_file",
    "read_embed_page",
    "read_message_picture",
    "read_published_file",
    "read_published_page",
    "record_public_process",
    "request_embed_page",
  ]);
  expect(new Set(Object.values(rows.role[0]))).toEqual(new Set([false, 0]));
  // The owner may do all of this, so the questions find what there is.
  await withConnection(databaseUrl, async (client) => {
    const { rows: mine } = await client.query(
      "SELECT has_table_privilege('query_results', 'SELECT') AS reads",
    );
    expect(mine).toEqual([{ reads: true }]);
  });
});

test("the role is refused what it would need to read anything else", async ({
  publicDatabaseUrl,
  shop,
  publish,
}) => {
  await publish(shop.owner, shop.bars);
  const client = new pg.Client({ connectionString: publicDatabaseUrl });
  await client.connect();
  try {
    for (const statement of [
      "SELECT * FROM query_results",
      "SELECT * FROM published_pages",
      "SELECT token_hash FROM public_links",
      "SELECT * FROM rights.queries",
      "UPDATE public_links SET views = 0",
      "SELECT current_public_link('\\x00')",
      "SELECT * FROM embed_sessions",
      "SELECT token FROM embed_pages",
      "SELECT token FROM message_pictures",
      "SELECT * FROM current_embedding_key(gen_random_uuid())",
      "SELECT * FROM querybell_rights(gen_random_uuid(), gen_random_uuid())",
      "SELECT graphile_worker.add_job('send_mail', '{}')",
      "CREATE TABLE public.mine (id int)",
      "SET ROLE querybell",
      "SELECT pg_read_file('/etc/passwd')",
      "COPY (SELECT 1) TO PROGRAM 'true'",
    ]) {
      await expect(client.query(statement), statement).rejects.toMatchObject(refused);
    }
    const { rows } = await client.query("SELECT * FROM find_public_link('\\x00')");
    expect(rows).toEqual([]);
  } finally {
    await client.end();
  }
});

test("a role that may do more is refused", async ({ databaseUrl, superuserUrl, store, onError }) => {
  const open = (url: string) => openPageStore({ url, poolSize: 1, onError });
  const owner = open(databaseUrl);
  const superuser = open(superuserUrl);
  try {
    expect(await owner.findExcessRight()).toMatch(/may also read or change/);
    expect(await superuser.findExcessRight()).toMatch(/is a superuser/);
    expect(await store.findExcessRight()).toBeUndefined();
  } finally {
    await owner.close();
    await superuser.close();
  }
});

test("views of an extension, which everybody may read, are no excess", async ({ superuserUrl, store }) => {
  const superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  try {
    await superuser.query("CREATE EXTENSION pg_stat_statements");
  } finally {
    await superuser.end();
  }
  expect(await store.findExcessRight()).toBeUndefined();
});

test("a process says that it runs, and changes nothing of others", async ({ store, deps }) => {
  const { pool } = deps.db;
  const read = async () => (await pool.query("SELECT kind, version, host FROM processes ORDER BY kind")).rows;
  const identity = { id: crypto.randomUUID(), version: "1", host: "h".repeat(200), startedAt: new Date() };
  await pool.query(
    "INSERT INTO processes (id, kind, version, host, started_at, seen_at) VALUES ($1, 'api', '1', 'api', now(), 'epoch')",
    [identity.id],
  );
  await store.recordProcess(identity, false);
  await store.recordProcess(identity, true);
  expect(await read()).toEqual([{ kind: "api", version: "1", host: "api" }]);
  const own = { ...identity, id: crypto.randomUUID() };
  await store.recordProcess(own, false);
  await store.recordProcess(own, false);
  expect(await read()).toEqual([expect.anything(), { kind: "public", version: "1", host: "h".repeat(100) }]);
  await store.recordProcess(own, true);
  for (let id = 0; id < 101; id++) await store.recordProcess({ ...own, id: crypto.randomUUID() }, false);
  expect(await read()).toHaveLength(101);
});

test("the operator is told why there is no connection, and never the password", async ({
  publicDatabaseUrl,
}) => {
  const explain = async (change: Partial<URL>) => {
    const url = Object.assign(new URL(publicDatabaseUrl), change).href;
    const store = openPageStore({ url, poolSize: 1, onError: () => {} });
    const reason = await store.whyNotReady();
    await store.close();
    return reason;
  };
  const explained = {
    right: await explain({}),
    password: await explain({ password: "hunter2" }),
    database: await explain({ pathname: "/other" }),
    port: await explain({ port: "1" }),
    encryption: await explain({ search: "?sslmode=require" }),
    setting: await explain({ search: "?options=-c%20no_such_setting%3D1" }),
  };
  expect(explained).toEqual({
    right: undefined,
    password: expect.stringContaining("refuses the role or its password"),
    database: expect.stringContaining("no database of that name"),
    port: expect.stringContaining("No database answers"),
    encryption: expect.stringContaining("asks for TLS"),
    setting: expect.stringContaining("42704"),
  });
  expect(JSON.stringify(explained)).not.toContain("hunter2");
});
