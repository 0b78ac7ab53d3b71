import { randomUUID } from "node:crypto";
import { ListAudit } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { withConnection } from "@querybell/test-database";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { listAudit } from "../audit.ts";
import { createQuery, deleteQuery, getQuery, updateQuery } from "../queries/index.ts";
import { getRun, refreshQuery, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { postgresAt, toPostgresConnection } from "../testing/postgres-connection.ts";
import { execute } from "../testing/run-states.ts";
import {
  deleteDatabase,
  describeDatabases,
  listDatabases,
  listTables,
  saveChangedDatabase,
  saveNewDatabase,
  testConnection,
  testDatabase,
} from "./index.ts";

const secret = "a password nobody may see";

describe("an analytical database", () => {
  dbTest("never gives its credentials back, and stores them sealed", async ({ deps, make }) => {
    const owner = await make.owner();
    const connection = postgresAt({}, secret);
    const made = await saveNewDatabase(deps, owner, { name: "Shop", connection, limits: {} });
    expect(made).toMatchObject({
      name: "Shop",
      connection: { engine: "postgres", settings: { host: "127.0.0.1", port: 5432, tls: "verify" } },
      limits: { rows: 50_000, bytes: 33_554_432, timeMs: 300_000 },
    });
    const shown = [made, await describeDatabases(deps, owner), await listDatabases(deps, owner)];
    const stored = await deps.db.pool.query("SELECT t::text FROM analytical_database_configs t");
    const audited = await listAudit(deps, owner, ListAudit.parse({}));
    expect(audited.items).toMatchObject([{ action: "database.created", targetId: made.id }]);
    expect(JSON.stringify([shown, stored.rows, audited])).not.toContain(secret);
  });

  dbTest("is listed by its name alone", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id, name } = await make.database(owner);
    expect(await listDatabases(deps, await make.member(owner.organizationId))).toEqual([
      { id, name, engine: "duckdb", holdsUploads: false, mayWriteSql: true },
      { id: expect.any(String), name: "Uploads", engine: "duckdb", holdsUploads: true, mayWriteSql: true },
    ]);
  });

  dbTest("is described with the number of queries that use it", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner);
    const described = async () =>
      (await describeDatabases(deps, owner)).map((database) => [database.id, database.queryCount]);
    expect(await described()).toEqual([[id, 0]]);
    const sql = { sql: "SELECT 1", analyticalDatabaseConfigId: id };
    const [query] = [await createQuery(deps, owner, sql), await createQuery(deps, owner, sql)];
    await deleteQuery(deps, owner, { id: query.id });
    expect(await described()).toEqual([[id, 1]]);
  });

  dbTest("whose user is a superuser is saved with a warning", async ({ deps, make, superuserUrl }) => {
    const owner = await make.owner();
    const real = toPostgresConnection(superuserUrl);
    if (real.engine !== "postgres") return expect.unreachable();
    const warning = expect.stringMatching(/^The user of this connection is a superuser: .* Use a role that/);
    const { id, warnings } = await saveNewDatabase(deps, owner, {
      name: "Shop",
      connection: real,
      limits: {},
    });
    expect(warnings).toEqual([warning]);
    expect(await testDatabase(deps, owner, { id })).toMatchObject({ warnings: [warning] });

    const user = `reader_${randomUUID().replaceAll("-", "")}`;
    const asSuperuser = (statement: string) =>
      withConnection(superuserUrl, (client) => client.query(statement));
    await asSuperuser(`CREATE ROLE ${user} LOGIN PASSWORD 'reads'`);
    try {
      const settings = { ...real.settings, user };
      const connection = { engine: "postgres" as const, settings, credentials: { password: "reads" } };
      expect(await saveChangedDatabase(deps, owner, { id, connection })).toMatchObject({ warnings: [] });
      expect(await saveChangedDatabase(deps, owner, { id, name: "Orders" })).toMatchObject({ warnings: [] });
      expect(await testConnection(deps, owner, { connection })).toMatchObject({ warnings: [] });
    } finally {
      await asSuperuser(`DROP ROLE ${user}`);
    }
  });

  dbTest("that cannot be connected to yet is saved, and says so", async ({ deps, make }) => {
    const owner = await make.owner();
    const connection = postgresAt({ port: await freePort(), tls: "off" });
    expect(await saveNewDatabase(deps, owner, { name: "Later", connection, limits: {} })).toMatchObject({
      name: "Later",
      warnings: [
        "The database is saved, but could not be connected to. Test the connection to see what to check.",
      ],
    });
  });

  dbTest(
    "asks for the password again when another admin changes the server at the same time",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const connection = postgresAt({ host: "own.test" });
      const { id } = await saveNewDatabase(deps, owner, { name: "Shop", connection, limits: {} });
      const { engine, settings } = connection;
      if (engine !== "postgres") return expect.unreachable();
      let updating: Promise<void> | undefined;
      await whileOtherTransaction(
        deps.db.pool,
        {
          has: `UPDATE analytical_database_configs SET settings = jsonb_set(settings, '{host}', '"real.test"')
            WHERE id = $1`,
          values: [id],
        },
        async () => {
          const update = saveChangedDatabase(deps, owner, { id, connection: { engine, settings } });
          updating = expect(update).rejects.toEqual(appError("invalid_request", /password/));
          await waitUntilBlocked(deps.db.pool, update);
        },
      );
      await updating;
    },
  );

  dbTest("asks for the password again when its server changes, and only then", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner, { engine: "postgres" });
    const real = await make.connection(owner, "postgres");
    if (real.engine !== "postgres") return expect.unreachable();
    const change = (settings: object) =>
      saveChangedDatabase(deps, owner, {
        id,
        connection: { engine: "postgres", settings: { ...real.settings, ...settings } },
      });
    await expect(change({ host: "db.attacker.example" })).rejects.toEqual(
      appError("invalid_request", /password/),
    );
    await change({ database: "postgres" });
    await expect(testDatabase(deps, owner, { id })).resolves.toMatchObject({
      version: expect.stringContaining("Postgres"),
    });
    await expect(
      saveChangedDatabase(deps, owner, {
        id,
        connection: { engine: "duckdb", settings: { file: "a.duckdb" } },
      }),
    ).rejects.toEqual(appError("invalid_request", /engine/));
  });

  dbTest(
    "of another organization cannot be used, tested, listed, changed or deleted",
    async ({ deps, make }) => {
      const { id } = await make.database(await make.owner(), { engine: "postgres" });
      const stranger = await make.owner();
      const calls = [
        () => testDatabase(deps, stranger, { id }),
        () => listTables(deps, stranger, { id }),
        () => saveChangedDatabase(deps, stranger, { id, name: "Mine" }),
        () => deleteDatabase(deps, stranger, { id }),
        () => createQuery(deps, stranger, { sql: "SELECT 1", analyticalDatabaseConfigId: id }),
      ];
      for (const call of calls) await expect(call()).rejects.toEqual(appError("not_found"));
      expect(await listDatabases(deps, stranger)).toMatchObject([{ name: "Uploads" }]);
    },
  );

  dbTest("keeps its credentials even from a row copied into another organization", async ({ deps, make }) => {
    const theirs = await make.database(await make.owner(), { engine: "postgres" });
    const thief = await make.owner();
    const mine = await make.database(thief, { engine: "postgres" });
    await deps.db.pool.query(
      `UPDATE analytical_database_configs SET sealed_credentials =
         (SELECT sealed_credentials FROM analytical_database_configs WHERE id = $1) WHERE id = $2`,
      [theirs.id, mine.id],
    );
    await expect(testDatabase(deps, thief, { id: mine.id })).rejects.toEqual(
      appError("database_credentials_refused", /enter them again/),
    );
    const { id } = await createQuery(deps, thief, {
      sql: "SELECT 1",
      analyticalDatabaseConfigId: mine.id,
    });
    const run = await runQuery(deps, thief, { id, parameterValues: {} });
    await execute(deps, run.id);
    expect(await getRun(deps, thief, { id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "database_credentials_refused" },
    });
  });

  dbTest("that was deleted refuses its queries, and fails the run that waited", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1", { engine: "postgres" });
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await deleteDatabase(deps, owner, { id: analyticalDatabaseConfigId });
    await execute(deps, run.id);
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "database_deleted" },
    });
    const calls = [
      () => runQuery(deps, owner, { id, parameterValues: {} }),
      () => refreshQuery(deps, owner, { id }),
      () => updateQuery(deps, owner, { id, sql: "SELECT 2" }),
      () => createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId }),
    ];
    for (const call of calls)
      await expect(call()).rejects.toEqual(appError("database_deleted", /another database/));
    expect(await getQuery(deps, owner, { id })).toMatchObject({ sql: "SELECT 1" });
    const { sealedCredentials } = await deps.db.prisma.analyticalDatabaseConfig.findUniqueOrThrow({
      where: { id: analyticalDatabaseConfigId },
    });
    expect(sealedCredentials).toBeNull();
  });
});
