import { describe, expect } from "vitest";
import { updateSettings } from "../organizations/index.ts";
import { getQuery } from "../queries/index.ts";
import { createReference, updateReference } from "../references/index.ts";
import { purgeExpiredResults } from "../retention/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { findResult, getExpiredResultOfRun, getResult, getResultOfRun } from "./index.ts";

const noValues = { parameterValues: {} };
const parameters = [{ name: "n", displayName: "N", type: "integer" as const, description: "" }];

// Downloads of results: `apps/api/src/routers/results.test.ts`.
describe("the result", () => {
  dbTest(
    "of a query is that of the completed run that was created last, whichever ended last",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT {{n}} AS n", { engine: "duckdb" });
      const { shortId } = await createReference(deps, owner, { queryId: id });
      await updateReference(deps, owner, { shortId, parameters });
      const older = await runQuery(deps, owner, { id, parameterValues: { n: 1 } });
      const newer = await runQuery(deps, owner, { id, parameterValues: { n: 2 } });
      await execute(deps, newer.id);
      await execute(deps, older.id);
      expect((await getResult(deps, owner, { id })).runId).toBe(newer.id);
      expect((await getQuery(deps, owner, { id })).latestRun?.id).toBe(newer.id);
    },
  );

  dbTest("expires after the organization's lifetime and is then removed", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { resultLifetimeSeconds: 60 });
    const { id } = await make.query(owner, "SELECT 1");
    const { id: runId } = await runQuery(deps, owner, { id, ...noValues });
    await execute(deps, runId);
    await clock.advance(59_999);
    expect(await getResult(deps, owner, { id })).toMatchObject({ runId, rowCount: 1 });
    expect(await getResultOfRun(deps, owner, { id: runId })).toMatchObject({ runId, rowCount: 1 });
    expect(await purgeExpiredResults(deps)).toBe(0);
    await clock.advance(1);
    const expectExpired = async () => {
      const expired = appError("result_expired", /Refresh/);
      await expect(getResult(deps, owner, { id })).rejects.toEqual(expired);
      await expect(getResultOfRun(deps, owner, { id: runId })).rejects.toEqual(expired);
    };
    await expectExpired();
    expect(await purgeExpiredResults(deps)).toBeGreaterThan(0);
    expect(await deps.db.prisma.queryResult.count({ where: { runId } })).toBe(0);
    await expectExpired();
  });

  dbTest(
    "is found by signed-in members after it has expired, for the days that the organization chose",
    async ({ deps, make, clock }) => {
      const owner = await make.owner();
      const stranger = await make.owner();
      const day = 86_400_000;
      await updateSettings(deps, owner, { resultLifetimeSeconds: 60, expiredResultDays: 2 });
      const { id } = await make.query(owner, "SELECT 1");
      const { id: runId } = await runQuery(deps, owner, { id, ...noValues });
      await execute(deps, runId);
      await clock.advance(60_000);
      const expired = { kind: "missing", reason: "result_expired", expired: { runId, rowCount: 1 } };
      expect(await findResult(deps, owner, { id, ...noValues })).toMatchObject(expired);
      expect(await getExpiredResultOfRun(deps, owner, { id: runId })).toMatchObject({ runId });
      const key = {
        ...owner,
        via: { kind: "key" as const, keyId: runId, scopes: ["queries:read" as const] },
      };
      expect(await findResult(deps, key, { id, ...noValues })).toMatchObject({ ...expired, expired: null });
      await expect(getExpiredResultOfRun(deps, key, { id: runId })).rejects.toEqual(
        appError("result_expired"),
      );
      await expect(getExpiredResultOfRun(deps, stranger, { id: runId })).rejects.toEqual(
        appError("not_found"),
      );

      await clock.advance(2 * day - 1);
      await purgeExpiredResults(deps);
      expect(await findResult(deps, owner, { id, ...noValues })).toMatchObject(expired);
      // From now on it is not shown, even before it is deleted.
      await clock.advance(1);
      expect(await findResult(deps, owner, { id, ...noValues })).toMatchObject({ expired: null });
      await expect(getExpiredResultOfRun(deps, owner, { id: runId })).rejects.toEqual(
        appError("result_expired"),
      );
      await purgeExpiredResults(deps);
      expect(await deps.db.prisma.queryResult.count({ where: { runId } })).toBe(0);
    },
  );

  dbTest("is kept for each set of values, and the newest replaces the one before", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}", { parameters });
    const run = async (n: number) => {
      const made = await runQuery(deps, owner, { id, parameterValues: { n } });
      await execute(deps, made.id);
      return made.id;
    };
    const [one, two] = [await run(1), await run(2)];
    const result = (n: number) => getResult(deps, owner, { id, parameterValues: { n } });
    expect([await result(1), await result(2)]).toMatchObject([{ runId: one }, { runId: two }]);
    await expect(result(3)).rejects.toEqual(appError("result_not_found"));
    const newer = await run(1);
    expect(await result(1)).toMatchObject({ runId: newer });
    expect(await getResult(deps, owner, { id })).toMatchObject({ runId: newer });
    await expect(getResultOfRun(deps, owner, { id: one })).rejects.toEqual(appError("result_expired"));
  });

  dbTest("of no successful run is not found, with the reason", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT * FROM nowhere");
    const run = await runQuery(deps, owner, { id, ...noValues });
    await execute(deps, run.id);
    await expect(getResultOfRun(deps, owner, { id: run.id })).rejects.toEqual(
      appError("result_not_found", /nowhere/),
    );
    await expect(getResult(deps, owner, { id })).rejects.toEqual(
      appError("result_not_found", /Run or refresh/),
    );
  });
});
