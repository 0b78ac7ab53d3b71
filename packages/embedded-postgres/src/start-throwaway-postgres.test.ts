import { access } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { startThrowawayPostgres } from "./index.ts";
import { isAlive, launchServer, sql } from "./testing/embedded-test.ts";

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("a throwaway server is removed when it is stopped, or by the next one when its launcher was killed", async () => {
  const abandoned = await launchServer({});
  await abandoned.kill();
  expect(isAlive(abandoned.postmaster)).toBe(true);

  const postgres = await startThrowawayPostgres();
  onTestFinished(postgres.stop);
  expect(isAlive(abandoned.postmaster)).toBe(false);
  expect(await exists(abandoned.serverFolder)).toBe(false);
  expect(await sql(postgres.url, "SHOW fsync")).toEqual([{ fsync: "off" }]);

  const another = await startThrowawayPostgres();
  onTestFinished(another.stop);
  expect(await sql(postgres.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);

  await postgres.stop();
  expect(await exists(postgres.serverFolder)).toBe(false);
});
