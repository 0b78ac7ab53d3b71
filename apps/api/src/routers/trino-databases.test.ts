import { createQuery } from "@querybell/core/queries";
import { type DatabaseConnection, TrinoSettings } from "@querybell/domain";
import { clusterStartMs, hasTrino, startCluster } from "@querybell/engines/testing/trino";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { execute } from "@querybell/core/testing";

const secret = "a token nobody may see";

const trinoAt = (
  settings: object,
  credentials: Extract<DatabaseConnection, { engine: "trino" }>["credentials"] = {
    kind: "token",
    token: secret.replaceAll(" ", "-"),
  },
): Extract<DatabaseConnection, { engine: "trino" }> => ({
  engine: "trino",
  settings: TrinoSettings.parse({ host: "127.0.0.1", port: 1, catalog: "hive", user: "reader", ...settings }),
  credentials,
});

describe("a database on Trino", () => {
  apiTest(
    "never gives its credentials back, and keeps them for one server",
    async ({ api, make, deps, logLines }) => {
      const client = await api.signedIn(await make.owner());
      const made = await client.databases.create.mutate({
        name: "Lake",
        connection: trinoAt({ schema: "sales" }),
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
      const shown = [made, await client.databases.describe.query(), stored.rows, logLines];
      expect(JSON.stringify(shown)).not.toContain("nobody-may-see");

      const { engine } = trinoAt({});
      const changed = (settings: object) =>
        client.databases.update.mutate({
          id: made.id,
          connection: { engine, settings: trinoAt(settings).settings },
        });
      expect(await changed({ catalog: "iceberg" })).toMatchObject({
        connection: { settings: { catalog: "iceberg" } },
      });
      for (const settings of [{ host: "127.0.0.2" }, { port: 2 }, { user: "other" }, { tls: "off" }]) {
        await expect(changed(settings)).rejects.toEqual(
          apiError("invalid_request", /Send the credentials too/),
        );
      }
    },
  );

  apiTest("sends no password or token without TLS, and has a catalog of its own", async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    const refusedFor = async (connection: DatabaseConnection) =>
      expect(client.databases.create.mutate({ name: "Lake", connection })).rejects.toEqual(
        apiError("invalid_request"),
      );
    const tls = "off" as const;
    await refusedFor({ ...trinoAt({}), settings: { ...trinoAt({}).settings, tls } });
    await refusedFor({ ...trinoAt({}), settings: { ...trinoAt({}).settings, catalog: "System" } });
    await refusedFor({ ...trinoAt({}), settings: { ...trinoAt({}).settings, user: "a\nX-Header: b" } });
    expect(
      await client.databases.create.mutate({ name: "Lake", connection: trinoAt({ tls }, { kind: "none" }) }),
    ).toMatchObject({ connection: { settings: { tls } } });
  });
});

describe.skipIf(!hasTrino)("a query on Trino", () => {
  apiTest(
    "runs with its values, and says where it is wrong",
    { timeout: clusterStartMs },
    async ({ api, make, deps }) => {
      const url = new URL((await startCluster()).url);
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const settings = { port: Number(url.port), catalog: "tpch", schema: "tiny", tls: "off" };
      const connection = trinoAt(settings, { kind: "none" });
      const { id } = await client.databases.create.mutate({ name: "Lake", connection });
      expect(await client.databases.schemas.query({ id })).toEqual(expect.arrayContaining(["sf1", "tiny"]));
      expect(await client.databases.tables.query({ id, schema: "sf1", after: "part" })).toMatchObject([
        { schema: "sf1", name: "partsupp" },
        { schema: "sf1", name: "region" },
        { schema: "sf1", name: "supplier" },
      ]);

      const sql = "SELECT name FROM nation WHERE regionkey = CAST({{region}} AS bigint) ORDER BY 1 LIMIT 2";
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: id });
      const run = await client.queries.run.mutate({ id: query.id, parameterValues: { region: "3" } });
      await execute(deps, run.id);
      const ended = await client.runs.get.query({ id: run.id });
      expect(ended).toMatchObject({ status: "completed", rowsRead: 25 });

      const wrong = await createQuery(deps, owner, {
        sql: "SELECT {{a}},\n  nothing FROM nation",
        analyticalDatabaseConfigId: id,
      });
      const failing = await client.queries.run.mutate({ id: wrong.id, parameterValues: { a: "it's" } });
      await execute(deps, failing.id);
      expect(await client.runs.get.query({ id: failing.id })).toMatchObject({
        status: "failed",
        failure: { code: "query_failed", position: { line: 2, column: 3 } },
      });
    },
  );
});
