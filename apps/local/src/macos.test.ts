import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@querybell/testkit";
import { expect, inject, onTestFinished, test } from "vitest";
import { launch } from "./testing/launch.ts";

test("where there is no /proc and no isolation, everything starts, says so, and runs queries", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "querybell-macos-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const database = await createTestDatabase(inject("postgresUrl"));
  onTestFinished(() => database[Symbol.asyncDispose]());
  const environment = {
    DATABASE_URL: database.url,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, "testing/act-as-macos.ts")}`,
  };
  const product = await launch({ dataFolder, environment });
  await product.shows(/verified [\w-]+ "automation\.run\.completed" \{.*Revenue was/);
  expect(product.output()).toMatch(
    /Isolation of queries: none, because its methods need Linux and this is darwin/,
  );
  expect(await product.interrupt()).toBe(0);
});
