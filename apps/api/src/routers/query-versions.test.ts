import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { execute } from "@querybell/core/testing";

describe("a query's versions", () => {
  apiTest("are kept with who wrote them and when, and can be brought back", async ({ api, make, clock }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const [client, colleague] = [await api.signedIn(owner), await api.signedIn(member)];
    const { id } = await make.query(owner, "SELECT 1");
    const firstAt = clock.now().toISOString();
    await clock.advance(1000);
    await client.queries.update.mutate({ id, name: "Sales" });
    await colleague.queries.update.mutate({ id, sql: "SELECT 2", version: 1 });
    expect(await client.queries.versions.query({ id })).toMatchObject([
      { version: 2, createdBy: member.userId, createdAt: clock.now().toISOString() },
      { version: 1, createdBy: owner.userId, createdAt: firstAt },
    ]);
    const { sql } = await client.queries.version.query({ id, version: 1 });
    expect(sql).toBe("SELECT 1");
    expect(await client.queries.update.mutate({ id, sql, version: 2 })).toMatchObject({ sql, version: 3 });
    for (const version of [9, Number.MAX_SAFE_INTEGER]) {
      await expect(client.queries.version.query({ id, version })).rejects.toEqual(apiError("not_found"));
    }
  });

  apiTest("let nobody overwrite what somebody else wrote", async ({ api, make }) => {
    const owner = await make.owner();
    const [one, other] = [
      await api.signedIn(owner),
      await api.signedIn(await make.member(owner.organizationId)),
    ];
    const { id, version } = await make.query(owner, "SELECT 1");
    const writes = await Promise.allSettled([
      one.queries.update.mutate({ id, version, sql: "SELECT 2" }),
      other.queries.update.mutate({ id, version, sql: "SELECT 3" }),
    ]);
    const lost = writes.flatMap((write) => (write.status === "rejected" ? [write.reason] : []));
    expect(lost).toEqual([apiError("query_changed", /version 2 now/)]);
    // The same write once more, because its answer got lost, changes nothing and is no conflict.
    const { sql } = await one.queries.get.query({ id });
    expect(await one.queries.update.mutate({ id, version, sql })).toMatchObject({ version: 2 });
    // A name is no part of a version.
    expect(await one.queries.update.mutate({ id, version, name: "Mine" })).toMatchObject({
      name: "Mine",
      version: 2,
    });
  });

  apiTest("are the last hundred", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 0");
    for (let number = 1; number <= 103; number++) {
      await client.queries.update.mutate({ id, sql: `SELECT ${number}` });
    }
    const versions = await client.queries.versions.query({ id });
    expect(versions.map(({ version }) => version)).toEqual(
      Array.from({ length: 101 }, (_, index) => 104 - index),
    );
  });

  apiTest("mark a result that is of an earlier one", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const run = await client.queries.run.mutate({ id });
    await execute(deps, run.id);
    expect(await client.queries.result.query({ id })).toMatchObject({
      isOutdated: false,
      parameterValues: {},
    });
    await client.queries.update.mutate({ id, name: "Renamed" });
    expect(await client.queries.result.query({ id })).toMatchObject({ isOutdated: false });
    await client.queries.update.mutate({ id, sql: "SELECT 2" });
    expect(await client.queries.result.query({ id })).toMatchObject({ isOutdated: true });
    expect(await client.runs.result.query({ id: run.id })).toMatchObject({ isOutdated: true });
    await execute(deps, (await client.queries.run.mutate({ id })).id);
    expect(await client.queries.result.query({ id })).toMatchObject({ isOutdated: false });
  });
});

describe("the list of queries", () => {
  apiTest(
    "is searched in names and statements, and narrowed by creator and database",
    async ({ api, make }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const client = await api.signedIn(owner);
      const sales = await make.query(owner, "SELECT 'Turnover 100%'");
      await client.queries.update.mutate({ id: sales.id, name: "Sales by Month" });
      const other = await make.query(member, "SELECT 2");
      const find = async (filter: object) =>
        (await client.queries.list.query(filter)).items.map(({ id }) => id);
      expect(await find({ search: "BY month" })).toEqual([sales.id]);
      expect(await find({ search: "turnover 100%" })).toEqual([sales.id]);
      expect(await find({ search: "_" })).toEqual([]);
      expect(await find({ createdBy: member.userId })).toEqual([other.id]);
      const { analyticalDatabaseConfigId } = sales;
      expect(await find({ analyticalDatabaseConfigId })).toEqual([sales.id]);
      expect(await find({ analyticalDatabaseConfigId, createdBy: member.userId })).toEqual([]);
    },
  );

  apiTest("shows one moment when it is narrowed too", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const made = [];
    for (const number of [1, 2, 3]) made.unshift(await make.query(owner, `SELECT 'found' || ${number}`));
    const filter = { search: "found", limit: 2 };
    const { nextCursor = "" } = await client.queries.list.query(filter);
    // By now it would not be found: in this sequence it still is, as it was.
    const last = made.at(-1)?.id ?? "";
    await client.queries.update.mutate({ id: last, sql: "SELECT 0", name: "Else" });
    const { items } = await client.queries.list.query({ ...filter, cursor: nextCursor });
    expect(items).toMatchObject([{ id: last, name: null, version: 1, sql: "SELECT 'found' || 1" }]);
    await expect(client.queries.list.query({ limit: 2, cursor: nextCursor })).rejects.toEqual(
      apiError("invalid_cursor"),
    );
  });
});
