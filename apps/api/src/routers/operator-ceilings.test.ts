import type { Deps } from "@querybell/core";
import { getResult } from "@querybell/core/results";
import { runQuery } from "@querybell/core/runs";
import type { DatabaseLimits } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest, startApi } from "../testing/api-test.ts";
import { execute } from "@querybell/core/testing";

const minute = 60_000;
const mebibyte = 1024 ** 2;

const withCeilings = (deps: Deps, ceilings: Partial<DatabaseLimits>): Deps => ({
  ...deps,
  deployment: { ...deps.deployment, ceilings: { ...deps.deployment.ceilings, ...ceilings } },
});

describe("above the operator's ceilings", () => {
  apiTest("limits of a database are refused when they are saved", async ({ deps, make }) => {
    await using api = await startApi({ deps: withCeilings(deps, { timeMs: minute, rows: 100 }) });
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const connection = await make.connection(owner);
    const create = (limits: Partial<DatabaseLimits>) =>
      client.databases.create.mutate({ name: "Shop", connection, limits });
    const refusal = {
      data: {
        reason: "invalid_request",
        errors: [
          { path: "limits.timeMs", message: "must be at most 60000" },
          { path: "limits.rows", message: "must be at most 100" },
        ],
      },
    };
    const [tooMuch, allowed] = [
      { timeMs: minute + 1, rows: 101 },
      { timeMs: minute, rows: 100 },
    ];
    await expect(create(tooMuch)).rejects.toMatchObject(refusal);
    const { id, limits } = await create(allowed);
    expect(limits).toMatchObject(allowed);
    await expect(client.databases.update.mutate({ id, limits: tooMuch })).rejects.toMatchObject(refusal);
  });

  apiTest("defaults are lowered to them", async ({ deps, make }) => {
    await using api = await startApi({ deps: withCeilings(deps, { memoryBytes: 256 * mebibyte, rows: 7 }) });
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const connection = await make.connection(owner);
    const { id, limits } = await client.databases.create.mutate({ name: "Shop", connection });
    expect(limits).toMatchObject({ memoryBytes: 256 * mebibyte, rows: 7, timeMs: 5 * minute });
    const updated = await client.databases.update.mutate({ id, limits: { rows: 5 } });
    expect(updated.limits).toMatchObject({ memoryBytes: 256 * mebibyte, rows: 5 });
  });

  apiTest("runs are held to them, whatever was saved before", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT name FROM fruits", { limits: { rows: 50_000 } });
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(withCeilings(deps, { rows: 1 }), run.id);
    expect(await getResult(deps, owner, { id })).toMatchObject({ rowCount: 1, cutBy: "rows" });
  });
});

apiTest("where only the operator creates organizations, nobody else can", async ({ deps, make }) => {
  const deployment = { ...deps.deployment, organizationCreation: "operator" as const };
  await using api = await startApi({ deps: { ...deps, deployment } });
  const owner = await make.owner();
  const client = await api.signedIn(owner);
  expect(await client.me.get.query()).toMatchObject({ canCreateOrganization: false });
  await expect(client.me.createOrganization.mutate({ name: "Mine" })).rejects.toMatchObject({
    data: { reason: "forbidden" },
    message: expect.stringContaining("operator"),
  });
  expect((await client.me.get.query()).memberships).toHaveLength(1);
});
