import type { Caller, Scope } from "@querybell/domain";
import { expect } from "vitest";
import { setDatabaseAccess, withRights } from "../access/index.ts";
import { createKey } from "../keys/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { getResultOfRun } from "../results/index.ts";
import { purgeHistory } from "../retention/index.ts";
import { getRun } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { runSql } from "./index.ts";

const test = dbTest.extend("asKey", { scope: "file" }, ({ deps }) => {
  const scopes: Scope[] = ["sql:run", "queries:read"];
  return async (owner: Caller): Promise<Caller> => {
    const { id: keyId } = await createKey(deps, owner, { name: "Agent", scopes });
    return { ...owner, via: { kind: "key", keyId, scopes } };
  };
});

const sql = "SELECT name FROM fruits WHERE name IN ({{names}}) AND weight > {{least}}";
const parameterValues = { names: ["apple", "pear"], least: 3.5 };

test("SQL of a key is refused until the organization allows it", async ({ deps, make, asKey }) => {
  const owner = await make.owner();
  const key = await asKey(owner);
  const { id: databaseId } = await make.database(owner);
  const run = () => runSql(deps, key, { databaseId, sql, parameterValues });
  await expect(run()).rejects.toEqual(appError("forbidden", /ask an admin/));
  await updateSettings(deps, owner, { keysRunSql: true });
  const { id } = await run();
  await execute(deps, id);
  expect(await getResultOfRun(deps, key, { id })).toMatchObject({ rowCount: 1 });
});

test("a run of it is deleted with its result after a day", async ({ deps, make, asKey, clock }) => {
  const owner = await make.owner();
  await updateSettings(deps, owner, { keysRunSql: true });
  const key = await asKey(owner);
  const { id: databaseId } = await make.database(owner);
  const { id, queryId } = await runSql(deps, key, { databaseId, sql: "SELECT 1", parameterValues: {} });
  await execute(deps, id);
  await clock.advance(86_400_000 - 1);
  await purgeHistory(deps);
  expect(await getRun(deps, key, { id })).toMatchObject({ status: "completed" });
  await clock.advance(1);
  await purgeHistory(deps);
  await expect(getRun(deps, key, { id })).rejects.toEqual(appError("not_found"));
  expect(await deps.db.prisma.query.count({ where: { id: queryId } })).toBe(0);
});

test("a member needs the right to write SQL on the database", async ({ deps, make, asKey }) => {
  const owner = await make.owner();
  await updateSettings(deps, owner, { keysRunSql: true });
  const member = await make.member(owner.organizationId);
  const key = await asKey(member);
  const { id: databaseId } = await make.database(owner);
  const run = async () =>
    withRights(await deps.rights.of(key), () => runSql(deps, key, { databaseId, sql, parameterValues }));
  const grant = (level: "run" | "write") => {
    const grants = [{ grantee: { kind: "person" as const, userId: member.userId }, level }];
    return setDatabaseAccess(deps, owner, { databaseId, grants });
  };
  await grant("run");
  await expect(run()).rejects.toEqual(appError("forbidden", /not look at its tables/));
  await grant("write");
  expect(await run()).toMatchObject({ status: "pending" });
});
