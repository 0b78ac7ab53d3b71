import { afterEach, expect, test, vi } from "vitest";
import type { EngineSession } from "../engine.ts";
import { connect } from "../engines.ts";
import { dataFolder, duckdbContext, runInDuckdb } from "../testing/real-databases.ts";
import { canWrite } from "./testing/can-write.ts";

const file = "kept.duckdb";
const open = () => connect({ engine: "duckdb", configuration: { file } }, duckdbContext);

async function read(session: EngineSession, text: string): Promise<unknown> {
  const { batches } = await session.execute({ text, values: [] });
  const values: unknown[] = [];
  // To its end: an unread result keeps the file open until it is garbage-collected.
  for await (const rows of batches) values.push(...rows.flat());
  return values[0];
}

async function readOnce(text: string): Promise<unknown> {
  const session = await open();
  try {
    return await read(session, text);
  } finally {
    await session.close();
  }
}

afterEach(() => vi.useRealTimers());

test("a file that is changed between two sessions is opened again", async () => {
  await runInDuckdb("CREATE OR REPLACE TABLE t AS SELECT 1 AS n", file);
  expect(await readOnce("SELECT n FROM t")).toBe(1);
  await runInDuckdb("CREATE OR REPLACE TABLE t AS SELECT 2 AS n", file);
  expect(await readOnce("SELECT n FROM t")).toBe(2);
});

test("the settings of a session hold in the next one, and nothing else does", async () => {
  await runInDuckdb("CREATE OR REPLACE TABLE t AS SELECT 1 AS n", file);
  for (const time of ["first", "second"]) {
    const session = await open();
    expect(await read(session, "SELECT current_setting('TimeZone')"), time).toBe("UTC");
    await expect(read(session, "SET threads = 1"), time).rejects.toMatchObject({ code: "query_failed" });
    await session.close();
    expect(await readOnce("SELECT n FROM t"), time).toBe(1);
  }
});

test("other processes can write to a file soon after its last session, and at once after a failure", async () => {
  await runInDuckdb("CREATE OR REPLACE TABLE t AS SELECT 1 AS n", file);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await readOnce("SELECT 1");
  expect(canWrite(dataFolder, file)).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(canWrite(dataFolder, file)).toBe(true);
  await readOnce("SELECT 1");
  await expect(readOnce("SELECT nothing")).rejects.toMatchObject({ code: "query_failed" });
  expect(canWrite(dataFolder, file)).toBe(true);
});
