import { type ErrorCode, ListQueries } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createReference, getReference } from "../references/index.ts";
import { getRun, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { createQuery, deleteQuery, getQuery, listQueries, updateQuery } from "./index.ts";

const noValues = { parameterValues: {} };

describe("a query", () => {
  dbTest("is created, read, changed and deleted", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const createdAt = clock.now().toISOString();
    const sql = "SELECT 1";
    const made = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
    expect(made).toEqual({
      id: made.id,
      sql,
      description: null,
      name: null,
      version: 1,
      analyticalDatabaseConfigId,
      createdBy: owner.userId,
      createdAt,
      updatedAt: createdAt,
      latestRun: null,
    });
    expect(await getQuery(deps, owner, { id: made.id })).toEqual({ ...made, latestRunMetadata: null });
    await clock.advance(1000);
    const changed = await updateQuery(deps, owner, { id: made.id, sql: "SELECT 2" });
    expect(changed).toEqual({ ...made, sql: "SELECT 2", version: 2, updatedAt: clock.now().toISOString() });
    await deleteQuery(deps, owner, { id: made.id });
    const gone = { id: made.id };
    await expect(getQuery(deps, owner, gone)).rejects.toEqual(appError("not_found"));
    await expect(runQuery(deps, owner, { ...gone, ...noValues })).rejects.toEqual(appError("not_found"));
    expect(await listQueries(deps, owner, ListQueries.parse({}))).toEqual({ items: [] });
  });

  dbTest("that is deleted takes its references along and keeps its history", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const { shortId } = await createReference(deps, owner, { queryId: id });
    const run = await runQuery(deps, owner, { id, ...noValues });
    await deleteQuery(deps, owner, { id });
    await expect(getReference(deps, owner, { shortId })).rejects.toEqual(appError("not_found"));
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "cancelled" },
    });
  });

  const bad: [sql: string, code: ErrorCode, words: RegExp][] = [
    ["SELECT 1; SELECT 2", "multiple_statements", /line 1, column 11/],
    ["-- nothing", "invalid_sql", /no statement/],
    ["SELECT $1", "invalid_sql", /placeholder/],
    ['SELECT "{{name}}"', "misplaced_placeholder", /line 1, column 8/],
    ["SELECT 'open", "invalid_sql", /./],
  ];
  dbTest.for(bad)("is refused when it is saved as %j", async ([sql, code, words], { deps, make }) => {
    const owner = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const { id } = await createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId });
    await expect(createQuery(deps, owner, { sql, analyticalDatabaseConfigId })).rejects.toEqual(
      appError(code, words),
    );
    await expect(updateQuery(deps, owner, { id, sql })).rejects.toEqual(appError(code, words));
  });
});
