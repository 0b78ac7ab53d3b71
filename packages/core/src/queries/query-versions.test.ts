import { describe, expect } from "vitest";
import { getResult, getResultOfRun } from "../results/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { getQuery, getQueryVersion, listQueryVersions, updateQuery } from "./index.ts";

describe("a query's versions", () => {
  dbTest("are kept with who wrote them and when, and can be brought back", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id } = await make.query(owner, "SELECT 1");
    const firstAt = clock.now().toISOString();
    await clock.advance(1000);
    await updateQuery(deps, owner, { id, name: "Sales" });
    await updateQuery(deps, member, { id, sql: "SELECT 2", version: 1 });
    expect(await listQueryVersions(deps, owner, { id })).toMatchObject([
      { version: 2, createdBy: member.userId, createdAt: clock.now().toISOString() },
      { version: 1, createdBy: owner.userId, createdAt: firstAt },
    ]);
    const { sql } = await getQueryVersion(deps, owner, { id, version: 1 });
    expect(sql).toBe("SELECT 1");
    expect(await updateQuery(deps, owner, { id, sql, version: 2 })).toMatchObject({ sql, version: 3 });
    for (const version of [9, Number.MAX_SAFE_INTEGER]) {
      await expect(getQueryVersion(deps, owner, { id, version })).rejects.toEqual(appError("not_found"));
    }
  });

  dbTest("let nobody overwrite what somebody else wrote", async ({ deps, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id, version } = await make.query(owner, "SELECT 1");
    const writes = await Promise.allSettled([
      updateQuery(deps, owner, { id, version, sql: "SELECT 2" }),
      updateQuery(deps, member, { id, version, sql: "SELECT 3" }),
    ]);
    const lost = writes.flatMap((write) => (write.status === "rejected" ? [write.reason] : []));
    expect(lost).toEqual([appError("query_changed", /version 2 now/)]);
    // The same write once more, because its answer got lost, changes nothing and is no conflict.
    const { sql } = await getQuery(deps, owner, { id });
    expect(await updateQuery(deps, owner, { id, version, sql })).toMatchObject({ version: 2 });
    // A name is no part of a version.
    expect(await updateQuery(deps, owner, { id, version, name: "Mine" })).toMatchObject({
      name: "Mine",
      version: 2,
    });
  });

  dbTest("are the last hundred", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 0");
    for (let number = 1; number <= 103; number++) {
      await updateQuery(deps, owner, { id, sql: `SELECT ${number}` });
    }
    const versions = await listQueryVersions(deps, owner, { id });
    expect(versions.map(({ version }) => version)).toEqual(
      Array.from({ length: 101 }, (_, index) => 104 - index),
    );
  });

  dbTest("mark a result that is of an earlier one", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(deps, run.id);
    expect(await getResult(deps, owner, { id })).toMatchObject({ isOutdated: false, parameterValues: {} });
    await updateQuery(deps, owner, { id, name: "Renamed" });
    expect(await getResult(deps, owner, { id })).toMatchObject({ isOutdated: false });
    await updateQuery(deps, owner, { id, sql: "SELECT 2" });
    expect(await getResult(deps, owner, { id })).toMatchObject({ isOutdated: true });
    expect(await getResultOfRun(deps, owner, { id: run.id })).toMatchObject({ isOutdated: true });
    await execute(deps, (await runQuery(deps, owner, { id, parameterValues: {} })).id);
    expect(await getResult(deps, owner, { id })).toMatchObject({ isOutdated: false });
  });
});
