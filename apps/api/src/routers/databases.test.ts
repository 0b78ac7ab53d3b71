import { postgresAt } from "@querybell/core/testing/postgres-connection";
import { type DatabaseConnection, TrinoSettings } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const secret = "a-secret-nobody-may-see";

type TrinoConnection = Extract<DatabaseConnection, { engine: "trino" }>;

const trinoAt = (
  settings: object,
  credentials: TrinoConnection["credentials"] = { kind: "token", token: secret },
): TrinoConnection => ({
  engine: "trino",
  settings: TrinoSettings.parse({ host: "127.0.0.1", port: 1, catalog: "hive", user: "reader", ...settings }),
  credentials,
});

describe("an analytical database", () => {
  apiTest.for([postgresAt({}, secret), trinoAt({})])(
    "on $engine has its credentials in no answer and in no log",
    async (connection, { api, make, logLines }) => {
      const client = await api.signedIn(await make.owner());
      const created = await client.databases.create.mutate({ name: "Shop", connection });
      const { engine, settings } = connection;
      expect(created).toMatchObject({ name: "Shop", connection: { engine, settings } });
      const shown = [created, await client.databases.describe.query(), await client.databases.list.query()];
      const audited = await client.audit.list.query({});
      expect(audited.items).toMatchObject([{ action: "database.created", targetId: created.id }]);
      expect(JSON.stringify([shown, audited, logLines])).not.toContain(secret);
    },
  );

  apiTest("is listed to members, and described to admins only", async ({ api, make }) => {
    const owner = await make.owner();
    const { id, name } = await make.database(owner);
    const member = await api.signedIn(await make.member(owner.organizationId));
    expect(await member.databases.list.query()).toEqual([
      { id, name, engine: "duckdb", holdsUploads: false, mayWriteSql: true },
      { id: expect.any(String), name: "Uploads", engine: "duckdb", holdsUploads: true, mayWriteSql: true },
    ]);
    await expect(member.databases.describe.query()).rejects.toEqual(apiError("forbidden"));
  });

  apiTest(
    "on Trino gets no password or token without TLS, and has its own catalog",
    async ({ api, make }) => {
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
        await client.databases.create.mutate({
          name: "Lake",
          connection: trinoAt({ tls }, { kind: "none" }),
        }),
      ).toMatchObject({ connection: { settings: { tls } } });
    },
  );
});
