import { withConnection } from "@querybell/test-database";
import { expect } from "vitest";
import { dbTest } from "../testing/db-test.ts";
import { describeTables } from "./describe-tables.ts";

dbTest(
  "tables of which columns are missing are not said to be complete",
  async ({ deps, make, databaseUrl }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner, { engine: "postgres" });
    await withConnection(databaseUrl, async (client) => {
      const columns = Array.from({ length: 101 }, (_, index) => `c${index} int`);
      await client.query(`CREATE TABLE wide_table (${columns.join(", ")})`);
      await client.query(`CREATE TABLE narrow_table (${columns.slice(1).join(", ")})`);
    });
    const describe = (contains: string) => describeTables(deps, owner, { id, contains, offset: 0 });
    expect(await describe("wide_table")).toMatchObject({ tables: [{ moreColumns: 1 }], isCut: true });
    expect(await describe("narrow_table")).toMatchObject({
      tables: [{ name: "narrow_table" }],
      isCut: false,
    });
    expect((await describe("_table")).isCut).toBe(true);
  },
);
