import { freePort } from "@querybell/embedded-postgres";
import { describe, expect } from "vitest";
import { createQuery } from "../queries/index.ts";
import { getRun, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { postgresAt } from "../testing/postgres-connection.ts";
import { execute } from "../testing/run-states.ts";
import { listen } from "../testing/tcp-server.ts";
import {
  deleteDatabase,
  listTables,
  saveChangedDatabase,
  saveNewDatabase,
  testConnection,
  testDatabase,
} from "./index.ts";

describe("an analytical database", () => {
  dbTest.for(["duckdb", "postgres"] as const)(
    "on %s says its version and its tables",
    async (engine, { deps, make }) => {
      const owner = await make.owner();
      const { id } = await make.database(owner, { engine });
      const { version } = await testDatabase(deps, owner, { id });
      expect(version).toMatch(engine === "duckdb" ? /^DuckDB v/ : /^Postgres 18/);
      const tables = await listTables(deps, owner, { id });
      const expected = { duckdb: ["fruits", "weight"], postgres: ["query_runs", "rendered_sql"] }[engine];
      const table = tables.find(({ name }) => name === expected[0]);
      expect(table?.columns.map(({ name }) => name)).toContain(expected[1]);
    },
  );

  dbTest("that an admin has not connected to before never says why it cannot be", async ({ deps, make }) => {
    const owner = await make.owner();
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
      const error = await testConnection(deps, owner, { connection }).catch((reason) => reason);
      expect(error, what).toEqual(
        appError("database_unreachable", /Check the host and the port.*ANALYTICS_NETWORKS/),
      );
      sentences.add(error.message.replace(`${host}:${port}`, "it"));
    }
    expect([...sentences]).toHaveLength(1);

    const connection = connections["another kind of server"];
    const { id } = await saveNewDatabase(deps, owner, { name: "Web", connection, limits: {} });
    const asTested = appError("database_unreachable", /^No connection to a database at/);
    await expect(testDatabase(deps, owner, { id })).rejects.toEqual(asTested);
    await expect(listTables(deps, owner, { id })).rejects.toEqual(asTested);
    const query = await createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId: id });
    const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
    await execute(deps, run.id);
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({
      failure: {
        code: "database_unreachable",
        message: expect.stringMatching(/^No connection to a database at/),
      },
    });
  });

  dbTest(
    "that was connected to says why it cannot be any more, to its organization",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const real = await make.connection(owner, "postgres");
      if (real.engine !== "postgres") return expect.unreachable();
      const wrong = { ...real, credentials: { password: "wrong" } };
      const { id } = await saveNewDatabase(deps, owner, { name: "Shop", connection: real, limits: {} });
      const told = appError("database_credentials_refused", /refused the user or the password/);
      await expect(testConnection(deps, owner, { connection: wrong })).rejects.toEqual(told);
      await saveChangedDatabase(deps, owner, { id, connection: wrong });
      await expect(testDatabase(deps, owner, { id })).rejects.toEqual(told);

      const otherPort = { ...real, settings: { ...real.settings, port: await freePort() } };
      const untold = appError("database_unreachable", /^No connection to a database at/);
      await expect(testConnection(deps, owner, { connection: otherPort })).rejects.toEqual(untold);
      const stranger = await make.owner();
      await expect(testConnection(deps, stranger, { connection: wrong })).rejects.toEqual(untold);
      await deleteDatabase(deps, owner, { id });
      await expect(testConnection(deps, owner, { connection: wrong })).rejects.toEqual(untold);
    },
  );

  dbTest("that is a file says that it is not there", async ({ deps, make }) => {
    const connection = { engine: "duckdb" as const, settings: { file: "missing.duckdb" } };
    await expect(testConnection(deps, await make.owner(), { connection })).rejects.toEqual(
      appError("database_unreachable", /missing\.duckdb/),
    );
  });

  dbTest("that is an embedded file belongs to one organization", async ({ deps, make }) => {
    await make.database(await make.owner());
    const connection = { engine: "duckdb" as const, settings: { file: "test.duckdb" } };
    await expect(testConnection(deps, await make.owner(), { connection })).rejects.toEqual(
      appError("database_unreachable"),
    );
  });
});
