import { type Caller, ListRuns } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createKey } from "../keys/index.ts";
import { updateQuery } from "../queries/index.ts";
import { dbTest } from "../testing/db-test.ts";
import type { TestEngine } from "../testing/query-factories.ts";
import { execute } from "../testing/run-states.ts";
import { getRun, listRuns, runQuery } from "./index.ts";

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
  dbTest.for(wrong)("says where in the query's own text: $engine, $sql", async (row, { make, deps }) => {
    const { engine, sql, line, column } = row;
    const owner = await make.owner();
    const { id } = await make.query(owner, sql, { engine });
    const values = { a: "1", b: "a long value, longer than its placeholder" };
    const parameterValues = Object.fromEntries(
      Object.entries(values).filter(([name]) => sql.includes(`{{${name}}}`)),
    );
    const run = await runQuery(deps, owner, { id, parameterValues });
    await execute(deps, run.id);
    const { failure } = await getRun(deps, owner, { id: run.id });
    expect(failure).toMatchObject({ code: "query_failed" });
    expect(failure?.position).toEqual({
      line: engine === "postgres" && /FORM/.test(sql) ? 2 : line,
      column,
    });
  });

  dbTest("is in the query's history, with who started it", async ({ make, deps }) => {
    const owner = await make.owner();
    const { id: keyId, scopes } = await createKey(deps, owner, { name: "A key", scopes: ["queries:run"] });
    const withKey: Caller = { ...owner, via: { kind: "key", keyId, scopes } };
    const { id } = await make.query(owner, "SELECT nope");
    const { id: runId } = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(deps, runId);
    await runQuery(deps, withKey, { id, parameterValues: {} });
    const { items } = await listRuns(deps, owner, ListRuns.parse({ queryId: id }));
    expect(items).toMatchObject([
      { status: "pending", startedBy: { kind: "key", name: "A key" } },
      { failure: { position: { line: 1 } }, startedBy: { kind: "user", name: owner.name } },
    ]);
  });

  dbTest("before it is saved names the place as well", async ({ make, deps }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    await expect(updateQuery(deps, owner, { id, sql: "SELECT 1;\n  SELECT 2" })).rejects.toMatchObject({
      name: "AppError",
      errors: [{ path: "sql", position: { line: 2, column: 3 } }],
    });
  });
});
