import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Caller } from "@querybell/domain";
import { withConnection } from "@querybell/test-database";
import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { previewTable, profileColumn } from "./index.ts";

const big = "9007199254740993";
const table = 'odd "name"';
const quoted = '"odd ""name"""';
const rows = `(VALUES (1, 'a', ${big}), (2, 'b', ${big}), (2, NULL, ${big}), (NULL, 'b', 0)) AS t("n ""1", name, big)`;

type Engine = "duckdb" | "postgres";
const schemas = { duckdb: "main", postgres: "public" };

const test = dbTest.extend(
  "prepare",
  { scope: "file" },
  ({ deps, make, databaseUrl, duckdbFolder }) =>
    /** Creates a database with these tables. */
    async (owner: Caller, engine: Engine, statements: string[]) => {
      const { id } = await make.database(owner, { engine });
      if (engine === "postgres") {
        await withConnection(databaseUrl, async (client) => {
          for (const statement of statements) await client.query(statement);
        });
        return { id, schema: schemas[engine] };
      }
      const organization = await deps.db.prisma.organization.findUniqueOrThrow({
        where: { id: owner.organizationId },
      });
      const instance = await DuckDBInstance.create(join(duckdbFolder, `${organization.slug}.test.duckdb`));
      const connection = await instance.connect();
      for (const statement of statements) await connection.run(statement);
      connection.closeSync();
      instance.closeSync();
      return { id, schema: schemas[engine] };
    },
);

describe("a table", () => {
  test.for(["duckdb", "postgres"] as const)(
    "on %s shows its first rows and what its columns hold, exactly",
    async (engine, { deps, make, prepare }) => {
      const owner = await make.owner();
      const place = await prepare(owner, engine, [
        `DROP TABLE IF EXISTS ${quoted}`,
        `CREATE TABLE ${quoted} AS SELECT * FROM ${rows}`,
      ]);
      expect(await previewTable(deps, owner, { ...place, table })).toEqual({
        fields: [
          { name: 'n "1', type: "integer" },
          { name: "name", type: "string" },
          { name: "big", type: "integer" },
        ],
        rows: [
          [1, "a", big],
          [2, "b", big],
          [2, null, big],
          [null, "b", 0],
        ],
        hasMore: false,
      });
      const profile = (column: string) => profileColumn(deps, owner, { ...place, table, column });
      expect(await profile('n "1')).toEqual({
        type: "integer",
        rows: 4,
        isSample: false,
        nulls: 1,
        distinct: 2,
        range: { least: 1, greatest: 2 },
        frequent: [
          { value: 2, count: 2 },
          { value: 1, count: 1 },
        ],
      });
      expect(await profile("big")).toMatchObject({
        range: { least: 0, greatest: big },
        frequent: [
          { value: big, count: 3 },
          { value: 0, count: 1 },
        ],
      });
      await expect(profile("missing")).rejects.toEqual(appError("query_failed", /missing/));
      const injected = { ...place, table: `${table} LIMIT 0; --` };
      await expect(previewTable(deps, owner, injected)).rejects.toEqual(appError("query_failed"));
    },
  );

  test("says that only its first rows were read", async ({ deps, make, prepare }) => {
    const owner = await make.owner();
    const place = await prepare(owner, "duckdb", [
      "CREATE VIEW many AS SELECT range AS n, 'x' AS same FROM range(100001)",
      "CREATE VIEW all_read AS SELECT range AS n FROM range(100000)",
    ]);
    expect((await previewTable(deps, owner, { ...place, table: "many" })).rows).toHaveLength(50);
    expect(await previewTable(deps, owner, { ...place, table: "many" })).toMatchObject({ hasMore: true });
    const profile = (table: string, column: string) =>
      profileColumn(deps, owner, { ...place, table, column });
    expect(await profile("many", "n")).toMatchObject({ rows: 100_000, isSample: true, frequent: [] });
    expect(await profile("many", "same")).toMatchObject({
      distinct: 1,
      frequent: [{ value: "x", count: 100_000 }],
    });
    expect(await profile("all_read", "n")).toMatchObject({ rows: 100_000, isSample: false });
  });

  test("has columns whose values cannot be compared, or have no order", async ({ deps, make, prepare }) => {
    const owner = await make.owner();
    const place = await prepare(owner, "postgres", [
      `CREATE TABLE documents AS SELECT '{"a": 1}'::json AS plain, '{"a": 1}'::jsonb AS compared, true AS yes
       FROM generate_series(1, 3)`,
    ]);
    const profile = (column: string) => profileColumn(deps, owner, { ...place, table: "documents", column });
    expect(await profile("plain")).toMatchObject({ rows: 3, nulls: 0, distinct: null, range: null });
    expect(await profile("compared")).toMatchObject({
      type: "json",
      distinct: 1,
      range: null,
      frequent: [{ value: '{"a":1}', count: 3 }],
    });
    expect(await profile("yes")).toMatchObject({ distinct: 1, frequent: [{ value: true, count: 3 }] });
  });

  test("is no longer read once nobody waits", async ({ deps, make, prepare }) => {
    const owner = await make.owner();
    const place = await prepare(owner, "duckdb", []);
    const leaving = new AbortController();
    leaving.abort();
    const reading = previewTable(deps, owner, { ...place, table: "fruits", signal: leaving.signal });
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  });
});
