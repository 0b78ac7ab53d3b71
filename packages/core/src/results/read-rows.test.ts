import type { Caller } from "@querybell/domain";
import { expect } from "vitest";
import type { Deps } from "../deps.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { getResultOfRun, readPlainRows } from "./index.ts";

const test = dbTest.extend("readerOf", { scope: "file" }, ({ deps, make }) => {
  /** Runs a statement and returns a function that reads its rows. */
  return async (owner: Caller, sql: string) => {
    const { id } = await make.query(owner, sql);
    const { id: runId } = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(deps, runId);
    const info = await getResultOfRun(deps, owner, { id: runId });
    return (wanted: Partial<Parameters<typeof readPlainRows>[2]> = {}, as: Deps = deps) =>
      readPlainRows(as, owner, {
        info,
        offset: 0,
        maxRows: 10,
        maxCellCharacters: 5,
        maxCharacters: 1_000,
        ...wanted,
      });
  };
});

test("that there are more rows is seen, and not concluded from their number", async ({ make, readerOf }) => {
  const read = await readerOf(await make.owner(), "SELECT i FROM range(12) t(i)");
  expect(await read({ maxRows: 12 })).toMatchObject({ hasMore: false, columnCount: 1 });
  expect(await read({ maxRows: 11 })).toMatchObject({ hasMore: true });
  expect(await read({ offset: 10 })).toMatchObject({ rows: [[10], [11]], hasMore: false });
  expect(await read({ offset: 12 })).toMatchObject({ rows: [], hasMore: false });
  expect(await read({ maxCharacters: 45 })).toMatchObject({ rows: [[0], [1], [2]], hasMore: true });
});

test("a large row is read, and one that is too large for an answer is refused", async ({
  make,
  readerOf,
}) => {
  const owner = await make.owner();
  const read = await readerOf(owner, "SELECT i, repeat('x', 100000) AS text FROM range(3) t(i)");
  expect(await read({ offset: 1 })).toMatchObject({
    rows: [
      [1, "xxxxx…"],
      [2, "xxxxx…"],
    ],
    cutColumns: ["text"],
  });
  const wide = await readerOf(owner, "SELECT repeat('x', 1100000) AS text");
  await expect(wide()).rejects.toEqual(appError("invalid_request", /Row 1 has more than a mebibyte/));
  await expect(read({ maxCharacters: 20 })).rejects.toEqual(appError("invalid_request", /Name the columns/));
});

test("columns are chosen by name, and invisible characters become spaces", async ({ make, readerOf }) => {
  const sql = "SELECT 1 AS a, 'x' || chr(8203) || chr(10) || 'y' AS b, {'k': 1} AS c, true AS d, NULL AS e";
  const read = await readerOf(await make.owner(), sql);
  expect((await read({ maxCellCharacters: 50 })).rows).toEqual([[1, "x  y", '{"k":1}', true, null]]);
  expect(await read({ columns: ["d", "a"] })).toMatchObject({
    columns: [{ name: "d" }, { name: "a" }],
    rows: [[true, 1]],
    columnCount: 5,
  });
  await expect(read({ columns: ["none"] })).rejects.toEqual(appError("invalid_request", /no column "none"/));
});
