import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("a query", () => {
  apiTest("without a statement is refused", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1");
    const empty = apiError("invalid_request", /empty/);
    const sql = "  ";
    await expect(client.queries.create.mutate({ sql, analyticalDatabaseConfigId })).rejects.toEqual(empty);
    await expect(client.queries.update.mutate({ id, sql })).rejects.toEqual(empty);
  });

  apiTest("that is refused is answered with the place in its statement", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const refusal = client.queries.update.mutate({ id, sql: "SELECT 1;\n  SELECT 2" });
    await expect(refusal).rejects.toMatchObject({
      data: { errors: [{ path: "sql", position: { line: 2, column: 3 } }] },
    });
  });
});

apiTest("the list of queries has pages of one to a hundred", async ({ api, make, makeKey }) => {
  const { key } = await makeKey(await make.owner(), { scopes: ["queries:read"] });
  const client = api.withKey(key);
  for (const limit of [1, 100]) expect(await client.queries.list.query({ limit })).toEqual({ items: [] });
  for (const limit of [0, 101, 1.5]) {
    await expect(client.queries.list.query({ limit })).rejects.toEqual(apiError("invalid_request"));
  }
  await expect(client.queries.list.query({ cursor: "nonsense" })).rejects.toEqual(apiError("invalid_cursor"));
});
