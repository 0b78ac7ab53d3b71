import { ListQueries } from "@querybell/domain";
import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { createQuery, listQueries, updateQuery } from "./index.ts";

describe("the list of queries", () => {
  dbTest("is newest first, page by page", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const ids: string[] = [];
    for (let number = 0; number < 7; number++) {
      // Some at the same millisecond: the id then decides.
      if (number % 3 === 0) await clock.advance(1);
      const sql = `SELECT ${number}`;
      ids.unshift((await createQuery(deps, owner, { sql, analyticalDatabaseConfigId })).id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listQueries(deps, owner, { limit: 3, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(ids);
    await expect(listQueries(deps, owner, { limit: 3, cursor: "nonsense" })).rejects.toEqual(
      appError("invalid_cursor"),
    );
  });

  dbTest(
    "is searched in names and statements, and narrowed by creator and database",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const sales = await make.query(owner, "SELECT 'Turnover 100%'");
      await updateQuery(deps, owner, { id: sales.id, name: "Sales by Month" });
      const other = await make.query(member, "SELECT 2");
      const find = async (filter: Partial<ListQueries>) =>
        (await listQueries(deps, owner, ListQueries.parse(filter))).items.map(({ id }) => id);
      expect(await find({ search: "BY month" })).toEqual([sales.id]);
      expect(await find({ search: "turnover 100%" })).toEqual([sales.id]);
      expect(await find({ search: "_" })).toEqual([]);
      expect(await find({ createdBy: member.userId })).toEqual([other.id]);
      const { analyticalDatabaseConfigId } = sales;
      expect(await find({ analyticalDatabaseConfigId })).toEqual([sales.id]);
      expect(await find({ analyticalDatabaseConfigId, createdBy: member.userId })).toEqual([]);
    },
  );

  dbTest("shows one moment when it is narrowed too", async ({ deps, make }) => {
    const owner = await make.owner();
    const made = [];
    for (const number of [1, 2, 3]) made.unshift(await make.query(owner, `SELECT 'found' || ${number}`));
    const filter = { search: "found", limit: 2 };
    const { nextCursor = "" } = await listQueries(deps, owner, filter);
    // By now it would not be found: in this sequence it still is, as it was.
    const last = made.at(-1)?.id ?? "";
    await updateQuery(deps, owner, { id: last, sql: "SELECT 0", name: "Else" });
    const { items } = await listQueries(deps, owner, { ...filter, cursor: nextCursor });
    expect(items).toMatchObject([{ id: last, name: null, version: 1, sql: "SELECT 'found' || 1" }]);
    await expect(listQueries(deps, owner, { limit: 2, cursor: nextCursor })).rejects.toEqual(
      appError("invalid_cursor"),
    );
  });
});
