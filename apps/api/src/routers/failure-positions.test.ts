import type { TestEngine } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { execute } from "@querybell/core/testing";

interface Wrong {
  engine: TestEngine;
  sql: string;
  /** Of the text that the database complains about. */
  line: number;
  column: number;
}

const wrong: Wrong[] = (["duckdb", "postgres"] as const).flatMap((engine) => [
  { engine, sql: "SELECT 'ü😀', nope", line: 1, column: 15 },
  { engine, sql: "SELECT {{a}} AS a,\n  '{{b}} and {{b}}' AS b,\r\n  nope", line: 3, column: 3 },
  { engine, sql: "SELECT 1\nWHERE 1 = {{a}}\n  AND nope = {{b}} AND 2 = 2", line: 3, column: 7 },
  { engine, sql: "SELECT 1\nFORM t", line: 2, column: 6 },
]);

describe("a run that the database refuses", () => {
  apiTest.for(wrong)(
    "says where in the query's own text: $engine, $sql",
    async (row, { api, make, deps }) => {
      const { engine, sql, line, column } = row;
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id } = await make.query(owner, sql, { engine });
      const values = { a: "1", b: "a long value, longer than its placeholder" };
      const parameterValues = Object.fromEntries(
        Object.entries(values).filter(([name]) => sql.includes(`{{${name}}}`)),
      );
      const run = await client.queries.run.mutate({ id, parameterValues });
      await execute(deps, run.id);
      const { failure } = await client.runs.get.query({ id: run.id });
      expect(failure).toMatchObject({ code: "query_failed" });
      expect(failure?.position).toEqual({
        line: engine === "postgres" && /FORM/.test(sql) ? 2 : line,
        column,
      });
    },
  );

  apiTest("is in the query's history, with who started it", async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const { id } = await make.query(owner, "SELECT nope");
    const client = await api.signedIn(owner);
    const { id: runId } = await client.queries.run.mutate({ id });
    await execute(deps, runId);
    await api.withKey(key).queries.run.mutate({ id });
    const { items } = await client.runs.list.query({ queryId: id });
    expect(items).toMatchObject([
      { status: "pending", startedBy: { kind: "key", name: expect.any(String) } },
      { failure: { position: { line: 1 } }, startedBy: { kind: "user", name: expect.any(String) } },
    ]);
  });

  apiTest("before it is saved names the place as well", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const refusal = client.queries.update.mutate({ id, sql: "SELECT 1;\n  SELECT 2" });
    await expect(refusal).rejects.toMatchObject({
      data: { errors: [{ path: "sql", position: { line: 2, column: 3 } }] },
    });
  });
});
