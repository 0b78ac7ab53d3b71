import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { exitSql } from "../src/testing/native-call.ts";
import { dataFolder } from "./real-databases.ts";

const withoutJudge = fileURLToPath(new URL("../src/testing/run-without-judge.ts", import.meta.url));

test("DuckDB alone, with external access off and its configuration locked, runs native code", async () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [withoutJudge, join(dataFolder, "test.duckdb"), await exitSql(42)],
    { encoding: "utf8" },
  );
  expect(stderr).toBe("");
  expect(status).toBe(42);
});
