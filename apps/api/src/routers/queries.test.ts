import type { ErrorCode } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("a query", () => {
  apiTest("is created, read, changed and deleted", async ({ api, make, clock }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const createdAt = clock.now().toISOString();
    const sql = "SELECT 1";
    const made = await client.queries.create.mutate({ sql, analyticalDatabaseConfigId });
    expect(made).toEqual({
      id: made.id,
      sql,
      name: null,
      version: 1,
      analyticalDatabaseConfigId,
      createdBy: owner.userId,
      createdAt,
      updatedAt: createdAt,
      latestRun: null,
    });
    expect(await client.queries.get.query({ id: made.id })).toEqual({ ...made, latestRunMetadata: null });
    await clock.advance(1000);
    const changed = await client.queries.update.mutate({ id: made.id, sql: "SELECT 2" });
    expect(changed).toEqual({ ...made, sql: "SELECT 2", version: 2, updatedAt: clock.now().toISOString() });
    await client.queries.delete.mutate({ id: made.id });
    const gone = { id: made.id };
    await expect(client.queries.get.query(gone)).rejects.toEqual(apiError("not_found"));
    await expect(client.queries.run.mutate(gone)).rejects.toEqual(apiError("not_found"));
    expect(await client.queries.list.query()).toEqual({ items: [] });
  });

  apiTest("that is deleted takes its references along and keeps its history", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const { shortId } = await client.references.create.mutate({ queryId: id });
    const run = await client.queries.run.mutate({ id });
    await client.queries.delete.mutate({ id });
    await expect(client.references.get.query({ shortId })).rejects.toEqual(apiError("not_found"));
    expect(await client.runs.get.query({ id: run.id })).toMatchObject({
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
    ["  ", "invalid_request", /empty/],
  ];
  apiTest.for(bad)("is refused when it is saved as %j", async ([sql, code, words], { api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const { id } = await client.queries.create.mutate({ sql: "SELECT 1", analyticalDatabaseConfigId });
    await expect(client.queries.create.mutate({ sql, analyticalDatabaseConfigId })).rejects.toEqual(
      apiError(code, words),
    );
    await expect(client.queries.update.mutate({ id, sql })).rejects.toEqual(apiError(code, words));
  });

  apiTest("is listed newest first, page by page", async ({ api, make, clock, makeKey }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner, { scopes: ["queries:read"] });
    const client = api.withKey(key);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const session = await api.signedIn(owner);
    const ids: string[] = [];
    for (let number = 0; number < 7; number++) {
      // Some at the same millisecond: the id then decides.
      if (number % 3 === 0) await clock.advance(1);
      const sql = `SELECT ${number}`;
      ids.unshift((await session.queries.create.mutate({ sql, analyticalDatabaseConfigId })).id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.queries.list.query({ limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(ids);
    for (const limit of [0, 101, 1.5]) {
      await expect(client.queries.list.query({ limit })).rejects.toEqual(apiError("invalid_request"));
    }
    await expect(client.queries.list.query({ cursor: "nonsense" })).rejects.toEqual(
      apiError("invalid_cursor"),
    );
  });
});
