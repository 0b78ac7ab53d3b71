import { type DatabaseConnection, TrinoSettings } from "@querybell/domain";
import { clusterStartMs, hasTrino, startCluster } from "@querybell/engines/testing/trino";
import { describe, expect } from "vitest";
import { createQuery } from "../queries/index.ts";
import { getRun, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { describeDatabases, listSchemas, listTables, saveChangedDatabase, saveNewDatabase } from "./index.ts";

type TrinoConnection = Extract<DatabaseConnection, { engine: "trino" }>;

const trinoAt = (
  settings: object,
  credentials: TrinoConnection["credentials"] = { kind: "token", token: "a-token-nobody-may-see" },
): TrinoConnection => ({
  engine: "trino",
  settings: TrinoSettings.parse({ host: "127.0.0.1", port: 1, catalog: "hive", user: "reader", ...settings }),
  credentials,
});

describe("a database on Trino", () => {
  dbTest("never gives its credentials back, and keeps them for one server", async ({ deps, make }) => {
    const owner = await make.owner();
    const made = await saveNewDatabase(deps, owner, {
      name: "Lake",
      connection: trinoAt({ schema: "sales" }),
      limits: {},
    });
    expect(made.connection).toEqual({
      engine: "trino",
      settings: {
        host: "127.0.0.1",
        port: 1,
        catalog: "hive",
        schema: "sales",
        user: "reader",
        tls: "verify",
      },
    });
    expect(made.warnings).toEqual([expect.stringContaining("could not be connected to")]);
    const stored = await deps.db.pool.query("SELECT t::text FROM analytical_database_configs t");
    const shown = [made, await describeDatabases(deps, owner), stored.rows];
    expect(JSON.stringify(shown)).not.toContain("nobody-may-see");

    const { engine } = trinoAt({});
    const changed = (settings: object) =>
      saveChangedDatabase(deps, owner, {
        id: made.id,
        connection: { engine, settings: trinoAt(settings).settings },
      });
    expect(await changed({ catalog: "iceberg" })).toMatchObject({
      connection: { settings: { catalog: "iceberg" } },
    });
    for (const settings of [{ host: "127.0.0.2" }, { port: 2 }, { user: "other" }, { tls: "off" }]) {
      await expect(changed(settings)).rejects.toEqual(
        appError("invalid_request", /Send the credentials too/),
      );
    }
  });
});

describe.skipIf(!hasTrino)("a query on Trino", () => {
  dbTest(
    "runs with its values, and says where it is wrong",
    { timeout: clusterStartMs },
    async ({ deps, make }) => {
      const url = new URL((await startCluster()).url);
      const owner = await make.owner();
      const settings = { port: Number(url.port), catalog: "tpch", schema: "tiny", tls: "off" };
      const connection = trinoAt(settings, { kind: "none" });
      const { id } = await saveNewDatabase(deps, owner, { name: "Lake", connection, limits: {} });
      expect(await listSchemas(deps, owner, { id })).toEqual(expect.arrayContaining(["sf1", "tiny"]));
      expect(await listTables(deps, owner, { id, schema: "sf1", after: "part" })).toMatchObject([
        { schema: "sf1", name: "partsupp" },
        { schema: "sf1", name: "region" },
        { schema: "sf1", name: "supplier" },
      ]);

      const sql = "SELECT name FROM nation WHERE regionkey = CAST({{region}} AS bigint) ORDER BY 1 LIMIT 2";
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: id });
      const run = await runQuery(deps, owner, { id: query.id, parameterValues: { region: "3" } });
      await execute(deps, run.id);
      const ended = await getRun(deps, owner, { id: run.id });
      expect(ended).toMatchObject({ status: "completed", rowsRead: 25 });

      const wrong = await createQuery(deps, owner, {
        sql: "SELECT {{a}},\n  nothing FROM nation",
        analyticalDatabaseConfigId: id,
      });
      const failing = await runQuery(deps, owner, { id: wrong.id, parameterValues: { a: "it's" } });
      await execute(deps, failing.id);
      expect(await getRun(deps, owner, { id: failing.id })).toMatchObject({
        status: "failed",
        failure: { code: "query_failed", position: { line: 2, column: 3 } },
      });
    },
  );
});
