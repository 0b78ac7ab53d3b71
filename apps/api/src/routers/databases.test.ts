import { randomUUID } from "node:crypto";
import { createQuery } from "@querybell/core/queries";
import { runQuery } from "@querybell/core/runs";
import { type DatabaseConnection, PostgresSettings } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { withConnection } from "@querybell/core/testing";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import { untilItWaits, whileAnother } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { execute } from "@querybell/core/testing";
import { listen } from "../testing/tcp-server.ts";

const secret = "a password nobody may see";

const postgresAt = (settings: object, password = secret): DatabaseConnection => ({
  engine: "postgres",
  settings: PostgresSettings.parse({ host: "127.0.0.1", database: "shop", user: "reader", ...settings }),
  credentials: { password },
});

describe("an analytical database", () => {
  apiTest(
    "never gives its credentials back, and stores them sealed",
    async ({ api, make, deps, logLines }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const made = await client.databases.create.mutate({ name: "Shop", connection: postgresAt({}) });
      expect(made).toMatchObject({
        name: "Shop",
        connection: { engine: "postgres", settings: { host: "127.0.0.1", port: 5432, tls: "verify" } },
        limits: { rows: 50_000, bytes: 33_554_432, timeMs: 300_000 },
      });
      const shown = [made, await client.databases.describe.query(), await client.databases.list.query()];
      const stored = await deps.db.pool.query("SELECT t::text FROM analytical_database_configs t");
      const audited = await client.audit.list.query({});
      expect(audited.items).toMatchObject([{ action: "database.created", targetId: made.id }]);
      expect(JSON.stringify([shown, stored.rows, audited, logLines])).not.toContain(secret);
    },
  );

  apiTest("is shown to members by its name alone", async ({ api, make }) => {
    const owner = await make.owner();
    const { id, name } = await make.database(owner);
    const member = await api.signedIn(await make.member(owner.organizationId));
    expect(await member.databases.list.query()).toEqual([
      { id, name, engine: "duckdb", holdsUploads: false },
      { id: expect.any(String), name: "Uploads", engine: "duckdb", holdsUploads: true },
    ]);
    await expect(member.databases.describe.query()).rejects.toEqual(apiError("forbidden"));
  });

  apiTest("says to admins how many queries use it", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.database(owner);
    const described = async () =>
      (await client.databases.describe.query()).map((database) => [database.id, database.queryCount]);
    expect(await described()).toEqual([[id, 0]]);
    const sql = { sql: "SELECT 1", analyticalDatabaseConfigId: id };
    const [query] = [await createQuery(deps, owner, sql), await createQuery(deps, owner, sql)];
    await client.queries.delete.mutate({ id: query.id });
    expect(await described()).toEqual([[id, 1]]);
  });

  apiTest.for(["duckdb", "postgres"] as const)(
    "on %s says its version and its tables",
    async (engine, { api, make }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id } = await make.database(owner, { engine });
      const { version } = await client.databases.test.mutate({ id });
      expect(version).toMatch(engine === "duckdb" ? /^DuckDB v/ : /^Postgres 18/);
      const tables = await client.databases.tables.query({ id });
      const expected = { duckdb: ["fruits", "weight"], postgres: ["query_runs", "rendered_sql"] }[engine];
      const table = tables.find(({ name }) => name === expected[0]);
      expect(table?.columns.map(({ name }) => name)).toContain(expected[1]);
    },
  );

  apiTest(
    "that an admin has not connected to before never says why it cannot be",
    async ({ api, make, deps }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const real = await make.connection(owner, "postgres");
      if (real.engine !== "postgres") return expect.unreachable();
      const { settings, credentials } = real;
      const web = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      const hangingUp = await listen((socket) => socket.destroy());
      const connections = {
        "nobody listens": postgresAt({ port: await freePort(), tls: "off" }),
        "another kind of server": postgresAt({ port: web, tls: "off" }),
        "another kind of server, with TLS": postgresAt({ port: web }),
        "a server that hangs up": postgresAt({ port: hangingUp, tls: "off" }),
        "a wrong password": { ...real, credentials: { password: "wrong" } },
        "a name that is not there": { ...real, settings: { ...settings, database: "nothing" } },
        "TLS where there is none": {
          engine: "postgres" as const,
          settings: { ...settings, tls: "verify" as const },
          credentials,
        },
        "an address that is not allowed": postgresAt({ host: "10.1.2.3" }),
        "a host that is none": postgresAt({ host: "a..b" }),
      };
      const sentences = new Set<string>();
      for (const [what, connection] of Object.entries(connections)) {
        const { host, port } = connection.engine === "postgres" ? connection.settings : expect.unreachable();
        const error = await client.databases.testConnection.mutate(connection).catch((reason) => reason);
        expect(error, what).toEqual(
          apiError("database_unreachable", /Check the host and the port.*ANALYTICS_NETWORKS/),
        );
        sentences.add(error.message.replace(`${host}:${port}`, "it"));
      }
      expect([...sentences]).toHaveLength(1);

      const connection = connections["another kind of server"];
      const { id } = await client.databases.create.mutate({ name: "Web", connection });
      const asTested = apiError("database_unreachable", /^No connection to a database at/);
      await expect(client.databases.test.mutate({ id })).rejects.toEqual(asTested);
      await expect(client.databases.tables.query({ id })).rejects.toEqual(asTested);
      const query = await createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId: id });
      const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
      await execute(deps, run.id);
      expect(await client.runs.get.query({ id: run.id })).toMatchObject({
        failure: {
          code: "database_unreachable",
          message: expect.stringMatching(/^No connection to a database at/),
        },
      });
    },
  );

  apiTest(
    "that was connected to says why it cannot be any more, to its organization",
    async ({ api, make }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const real = await make.connection(owner, "postgres");
      if (real.engine !== "postgres") return expect.unreachable();
      const wrong = { ...real, credentials: { password: "wrong" } };
      const { id } = await client.databases.create.mutate({ name: "Shop", connection: real });
      const told = apiError("database_credentials_refused", /refused the user or the password/);
      await expect(client.databases.testConnection.mutate(wrong)).rejects.toEqual(told);
      await client.databases.update.mutate({ id, connection: wrong });
      await expect(client.databases.test.mutate({ id })).rejects.toEqual(told);

      const otherPort = { ...real, settings: { ...real.settings, port: await freePort() } };
      const untold = apiError("database_unreachable", /^No connection to a database at/);
      await expect(client.databases.testConnection.mutate(otherPort)).rejects.toEqual(untold);
      const stranger = await api.signedIn(await make.owner());
      await expect(stranger.databases.testConnection.mutate(wrong)).rejects.toEqual(untold);
      await client.databases.delete.mutate({ id });
      await expect(client.databases.testConnection.mutate(wrong)).rejects.toEqual(untold);
    },
  );

  apiTest("that is a file says that it is not there", async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    const missing = { engine: "duckdb" as const, settings: { file: "missing.duckdb" } };
    await expect(client.databases.testConnection.mutate(missing)).rejects.toEqual(
      apiError("database_unreachable", /missing\.duckdb/),
    );
  });

  apiTest("whose user is a superuser is saved with a warning", async ({ api, make, superuserUrl }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const real = toPostgresConnection(superuserUrl);
    if (real.engine !== "postgres") return expect.unreachable();
    const warning = expect.stringMatching(/^The user of this connection is a superuser: .* Use a role that/);
    const { id, warnings } = await client.databases.create.mutate({ name: "Shop", connection: real });
    expect(warnings).toEqual([warning]);
    expect(await client.databases.test.mutate({ id })).toMatchObject({ warnings: [warning] });

    const user = `reader_${randomUUID().replaceAll("-", "")}`;
    const asSuperuser = (statement: string) =>
      withConnection(superuserUrl, (connection) => connection.query(statement));
    await asSuperuser(`CREATE ROLE ${user} LOGIN PASSWORD 'reads'`);
    try {
      const settings = { ...real.settings, user };
      const connection = { engine: "postgres" as const, settings, credentials: { password: "reads" } };
      expect(await client.databases.update.mutate({ id, connection })).toMatchObject({ warnings: [] });
      expect(await client.databases.update.mutate({ id, name: "Orders" })).toMatchObject({ warnings: [] });
      expect(await client.databases.testConnection.mutate(connection)).toMatchObject({ warnings: [] });
    } finally {
      await asSuperuser(`DROP ROLE ${user}`);
    }
  });

  apiTest("that cannot be connected to yet is saved, and says so", async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    const connection = postgresAt({ port: await freePort(), tls: "off" });
    expect(await client.databases.create.mutate({ name: "Later", connection })).toMatchObject({
      name: "Later",
      warnings: [
        "The database is saved, but could not be connected to. Test the connection to see what to check.",
      ],
    });
  });

  apiTest(
    "asks for the password again when another admin changes the server at the same time",
    async ({ api, make, deps }) => {
      const client = await api.signedIn(await make.owner());
      const connection = postgresAt({ host: "own.test" });
      const { id } = await client.databases.create.mutate({ name: "Shop", connection });
      const { engine, settings } = postgresAt({ host: "own.test" });
      if (engine !== "postgres") return expect.unreachable();
      let updating: Promise<void> | undefined;
      await whileAnother(
        deps.db.pool,
        {
          has: `UPDATE analytical_database_configs SET settings = jsonb_set(settings, '{host}', '"real.test"')
            WHERE id = $1`,
          values: [id],
        },
        async () => {
          const update = client.databases.update.mutate({ id, connection: { engine, settings } });
          updating = expect(update).rejects.toEqual(apiError("invalid_request", /password/));
          await untilItWaits(deps.db.pool, update);
        },
      );
      await updating;
    },
  );

  apiTest("asks for the password again when its server changes, and only then", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.database(owner, { engine: "postgres" });
    const real = await make.connection(owner, "postgres");
    if (real.engine !== "postgres") return expect.unreachable();
    const change = (settings: object) =>
      client.databases.update.mutate({
        id,
        connection: { engine: "postgres", settings: { ...real.settings, ...settings } },
      });
    await expect(change({ host: "db.attacker.example" })).rejects.toEqual(
      apiError("invalid_request", /password/),
    );
    await change({ database: "postgres" });
    await expect(client.databases.test.mutate({ id })).resolves.toMatchObject({
      version: expect.stringContaining("Postgres"),
    });
    await expect(
      client.databases.update.mutate({
        id,
        connection: { engine: "duckdb", settings: { file: "a.duckdb" } },
      }),
    ).rejects.toEqual(apiError("invalid_request", /engine/));
  });

  apiTest(
    "of another organization cannot be used, tested, listed, changed or deleted",
    async ({ api, make }) => {
      const { id } = await make.database(await make.owner(), { engine: "postgres" });
      const stranger = await api.signedIn(await make.owner());
      const calls = [
        () => stranger.databases.test.mutate({ id }),
        () => stranger.databases.tables.query({ id }),
        () => stranger.databases.update.mutate({ id, name: "Mine" }),
        () => stranger.databases.delete.mutate({ id }),
        () => stranger.queries.create.mutate({ sql: "SELECT 1", analyticalDatabaseConfigId: id }),
      ];
      for (const call of calls) await expect(call()).rejects.toEqual(apiError("not_found"));
      expect(await stranger.databases.list.query()).toMatchObject([{ name: "Uploads" }]);
    },
  );

  apiTest(
    "keeps its credentials even from a row copied into another organization",
    async ({ make, deps, api }) => {
      const theirs = await make.database(await make.owner(), { engine: "postgres" });
      const thief = await make.owner();
      const mine = await make.database(thief, { engine: "postgres" });
      await deps.db.pool.query(
        `UPDATE analytical_database_configs SET sealed_credentials =
         (SELECT sealed_credentials FROM analytical_database_configs WHERE id = $1) WHERE id = $2`,
        [theirs.id, mine.id],
      );
      const client = await api.signedIn(thief);
      await expect(client.databases.test.mutate({ id: mine.id })).rejects.toEqual(
        apiError("database_credentials_refused", /enter them again/),
      );
      const { id } = await client.queries.create.mutate({
        sql: "SELECT 1",
        analyticalDatabaseConfigId: mine.id,
      });
      const run = await client.queries.run.mutate({ id });
      await execute(deps, run.id);
      expect(await client.runs.get.query({ id: run.id })).toMatchObject({
        status: "failed",
        failure: { code: "database_credentials_refused" },
      });
    },
  );

  apiTest("that is an embedded file belongs to one organization", async ({ api, make }) => {
    const owner = await make.owner();
    await make.database(owner);
    const stranger = await make.owner();
    const client = await api.signedIn(stranger);
    const connection = { engine: "duckdb" as const, settings: { file: "test.duckdb" } };
    await expect(client.databases.testConnection.mutate(connection)).rejects.toEqual(
      apiError("database_unreachable"),
    );
  });

  apiTest(
    "that was deleted refuses its queries, and fails the run that waited",
    async ({ api, make, deps }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1", { engine: "postgres" });
      const run = await runQuery(deps, owner, { id, parameterValues: {} });
      await client.databases.delete.mutate({ id: analyticalDatabaseConfigId });
      await execute(deps, run.id);
      expect(await client.runs.get.query({ id: run.id })).toMatchObject({
        status: "failed",
        failure: { code: "database_deleted" },
      });
      const calls = [
        () => client.queries.run.mutate({ id }),
        () => client.queries.refresh.mutate({ id }),
        () => client.queries.update.mutate({ id, sql: "SELECT 2" }),
        () => client.queries.create.mutate({ sql: "SELECT 1", analyticalDatabaseConfigId }),
      ];
      for (const call of calls)
        await expect(call()).rejects.toEqual(apiError("database_deleted", /another database/));
      expect(await client.queries.get.query({ id })).toMatchObject({ sql: "SELECT 1" });
      const { sealedCredentials } = await deps.db.prisma.analyticalDatabaseConfig.findUniqueOrThrow({
        where: { id: analyticalDatabaseConfigId },
      });
      expect(sealedCredentials).toBeNull();
    },
  );
});
