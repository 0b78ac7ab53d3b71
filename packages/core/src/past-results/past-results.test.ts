import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Prisma } from "@querybell/db";
import { type Caller, newId } from "@querybell/domain";
import { expect } from "vitest";
import { changeSettings } from "../organizations/settings.ts";
import { readResult } from "../results/index.ts";
import { runQuery } from "../runs/index.ts";
import { withRunSlotsTest } from "../testing/run-test.ts";
import { maxChainResults, readUnchained, sqlOf } from "./chain-rows.ts";
import {
  compareResults,
  getDifferences,
  getPastResultOfRun,
  keepResults,
  listPastResults,
  thinResults,
} from "./index.ts";

const [hour, day] = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

const test = withRunSlotsTest
  .extend(
    "run",
    { scope: "file" },
    ({ deps, end }) =>
      async (caller: Caller, id: string): Promise<string> => {
        const { id: runId } = await runQuery(deps, caller, { id, parameterValues: {} });
        expect(await end(caller, runId)).toMatchObject({ status: "completed" });
        return runId;
      },
  )
  // Results without runs by an engine, which would take long.
  .extend("add", { scope: "file" }, ({ deps, clock }) => {
    return async (caller: Caller, queryId: string, json: string): Promise<string> => {
      const id = newId(clock);
      const now = clock.now();
      const { organizationId } = caller;
      // In one transaction: a slot would claim a pending run.
      await deps.db.transaction(async (tx) => {
        const fixed = { parameterValues: {}, parameterTypes: {}, renderedSql: "", triggerId: "test" };
        const series = { organizationId, queryId, parameterValuesHash: Buffer.from([1]) };
        await tx.queryRun.create({ data: { id, ...series, ...fixed, createdAt: now } });
        await tx.queryRun.update({
          where: { id },
          data: { status: "running", startedAt: now, leaseWorker: "test", leaseUntil: now },
        });
        await tx.queryRun.update({ where: { id }, data: { status: "completed", completedAt: now } });
        const stored = { jsonBytes: Buffer.byteLength(json), rowCount: 1, etag: "", bytes: gzipSync(json) };
        await tx.pastResult.create({ data: { runId: id, ...series, completedAt: now, ...stored } });
      });
      return id;
    };
  })
  .extend("open", { scope: "file" }, ({ deps }) => async (caller: Caller, runId: string): Promise<string> => {
    const { pieces } = await readResult(deps, caller, { runId });
    return gunzipSync(await buffer(pieces)).toString();
  });

const withRow = (...cells: unknown[]) =>
  JSON.stringify({ fields: [{ name: "a", type: "integer" }], rows: [cells], rowCount: 1 });

test("every result of a query stays readable after the next run replaced it, exactly as it was", async ({
  deps,
  make,
  clock,
  run,
  open,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(
    owner,
    `SELECT n, 9007199254740993 AS big, 12.30::decimal(10,2) AS amount, NULL::text AS nothing,
       'x' || chr(10) || '😀"\\' AS text, DATE '2026-02-03' AS day, repeat(md5(n::text), 40) AS filler,
       (random() * 1000)::int AS changing
     FROM generate_series(1, 200) n`,
    { engine: "postgres" },
  );
  const written = new Map<string, string>();
  for (let runs = 0; runs < 4; runs++) {
    const runId = await run(owner, id);
    written.set(runId, await open(owner, runId));
    await clock.advance(hour);
  }
  for (const [runId, json] of written) expect(await open(owner, runId)).toBe(json);
  expect(await keepResults(deps)).toBe(4);
  expect(await keepResults(deps)).toBe(0);
  const rows = await deps.db.prisma.pastResult.findMany({
    where: { queryId: id },
    orderBy: { completedAt: "asc" },
  });
  expect(rows.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  // A difference is much smaller than a whole result.
  expect(rows[1]?.bytes?.length).toBeLessThan((rows[0]?.bytes?.length ?? 0) / 4);
  const listed = await listPastResults(deps, owner, { id, column: "changing", limit: 500 });
  expect(listed.items.map(({ runId }) => runId)).toEqual([...written.keys()].toReversed());
  expect(listed).toMatchObject({ hasMore: false, columns: ["n", "big", "amount", "changing"], days: 90 });
  for (const { runId, figures } of listed.items) {
    const { rows } = JSON.parse(written.get(runId) ?? "") as { rows: number[][] };
    const sum = rows.reduce((total, row) => total + (row[7] ?? 0), 0);
    expect(figures).toMatchObject({ first: String(rows[0]?.[7]), sum: String(sum), given: 200 });
    expect(await open(owner, runId)).toBe(written.get(runId));
    expect(await getPastResultOfRun(deps, owner, { id: runId })).toMatchObject({
      rowCount: 200,
      cutBy: null,
    });
  }
  const [newest] = listed.items;
  const older = await listPastResults(deps, owner, { id, before: newest?.completedAt ?? "", limit: 500 });
  expect(older.items.length).toBe(3);
});

test("the bytes of the newest result are stored once, and are moved to the history when it is replaced or purged", async ({
  deps,
  make,
  clock,
  run,
  open,
}) => {
  const owner = await make.owner();
  // More than is written at once.
  const large = await make.query(
    owner,
    `SELECT n, (SELECT string_agg(md5(random()::text || m), '') FROM generate_series(1, 100) m WHERE n > 0) AS text
     FROM generate_series(1, 2500) n`,
    { engine: "postgres" },
  );
  const small = await make.query(owner, "SELECT random() AS a");
  const written = new Map<string, string>();
  const runAndRead = async ({ id }: { id: string }) => {
    const runId = await run(owner, id);
    written.set(runId, await open(owner, runId));
    await clock.advance(1000);
  };
  const readHistory = async () => {
    const rows = await deps.db.prisma.pastResult.findMany({
      where: { organizationId: owner.organizationId },
      orderBy: { completedAt: "asc" },
    });
    return rows.map(({ bytes }) => bytes && gunzipSync(bytes).toString());
  };
  for (const query of [large, small, small]) await runAndRead(query);
  const [purged, replaced] = [...written.values()];
  expect(await readHistory()).toEqual([null, replaced, null]);
  await deps.db.prisma.queryResult.deleteMany({ where: { queryId: large.id } });
  expect(await readHistory()).toEqual([purged, replaced, null]);
  await clock.advance(hour);
  expect(await keepResults(deps)).toBe(3);
  await deps.db.prisma.queryResult.deleteMany({ where: { queryId: small.id } });
  for (const [runId, json] of written) expect(await open(owner, runId)).toBe(json);
});

test("a large result that is compressed while its bytes are read is left out, and read from its chain", async ({
  deps,
  make,
  clock,
  add,
  open,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const large = withRow(Array.from({ length: 200_000 }, () => Math.random()));
  const runId = await add(owner, id, large);
  await clock.advance(hour);
  const runSql = sqlOf(deps.db.prisma);
  let statements = 0;
  const read = await readUnchained(
    async <Row extends object>(sql: Prisma.Sql) => {
      if (++statements === 3) expect(await keepResults(deps)).toBe(1);
      return runSql<Row>(sql);
    },
    [runId],
  );
  expect([statements, read]).toEqual([3, []]);
  expect(await open(owner, runId)).toBe(large);
});

test("no result of a trial, of a cut run, or of an organization that keeps none is kept", async ({
  deps,
  make,
  run,
}) => {
  const owner = await make.owner();
  const cut = await make.query(owner, "SELECT n FROM generate_series(1, 20) n", {
    engine: "postgres",
    limits: { rows: 10 },
  });
  await run(owner, cut.id);
  await deps.db.transaction((tx) => changeSettings({ tx, clock: deps.clock }, owner, { historyDays: 0 }));
  const plain = await make.query(owner, "SELECT 1 AS a");
  await run(owner, plain.id);
  expect(await deps.db.prisma.pastResult.count({ where: { organizationId: owner.organizationId } })).toBe(0);
});

test("after a week one result a day is left, after the period of the organization none", async ({
  deps,
  make,
  clock,
  add,
  open,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  await clock.advance(day - (clock.now().getTime() % day));
  const jsons = new Map<string, string>();
  const addHours = async (hours: number) => {
    for (let at = 0; at < hours; at += 3) {
      const json = withRow("x".repeat(50), jsons.size);
      jsons.set(await add(owner, id, json), json);
      await clock.advance(3 * hour);
    }
    await keepResults(deps);
  };
  await addHours(24 * 4);
  await clock.advance(8 * day);
  await thinResults(deps);
  const days = [...jsons.keys()].filter((_, index) => index % 8 === 7);
  const kept = async () =>
    (
      await deps.db.prisma.pastResult.findMany({ where: { queryId: id }, orderBy: { completedAt: "asc" } })
    ).map(({ runId }) => runId);
  expect(await kept()).toEqual(days);
  for (const runId of days) expect(await open(owner, runId)).toBe(jsons.get(runId));
  expect(await thinResults(deps)).toEqual({ thinned: 0, deleted: 0 });
  // The next days are added to the chain of single days.
  await addHours(24);
  await clock.advance(8 * day);
  await thinResults(deps);
  expect(await kept()).toEqual([...days, [...jsons.keys()].at(-1)]);
  await clock.advance(90 * day);
  await expect(getPastResultOfRun(deps, owner, { id: days[0] ?? "" })).rejects.toThrow("not kept any more");
  await thinResults(deps);
  expect(await kept()).toEqual([]);
});

test("a chain has a limited length, and a result that is all different begins another", async ({
  deps,
  make,
  clock,
  add,
  open,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const jsons = new Map<string, string>();
  for (let at = 0; at <= maxChainResults; at++) {
    const json = withRow("same text ".repeat(100), at);
    jsons.set(await add(owner, id, json), json);
    await clock.advance(1000);
  }
  const different = withRow(Array.from({ length: 300 }, () => Math.random()));
  const last = await add(owner, id, different);
  await clock.advance(hour);
  await keepResults(deps);
  const chains = await deps.db.prisma.pastResultChain.findMany({ where: { queryId: id } });
  expect(chains.map(({ resultCount }) => resultCount).toSorted((a, b) => a - b)).toEqual([
    1,
    1,
    maxChainResults,
  ]);
  for (const [runId, json] of jsons) expect(await open(owner, runId)).toBe(json);
  expect(await open(owner, last)).toBe(different);
});

test("the oldest go first when the quota is exceeded", async ({ deps, make, clock, add }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) {
    const noise = Array.from({ length: 200 }, () => Math.random());
    ids.push(await add(owner, id, withRow(noise)));
    await clock.advance(day);
    await keepResults(deps);
  }
  const deployment = { ...deps.deployment, pastResultsQuotaBytes: 3500 };
  await thinResults({ ...deps, deployment });
  const left = await deps.db.prisma.pastResult.findMany({ where: { queryId: id }, select: { runId: true } });
  expect(left.map(({ runId }) => runId)).toEqual([ids[2]]);
});

test("what an engine host wrote and is no result is deleted, and the others are kept", async ({
  deps,
  make,
  clock,
  add,
  open,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const bad = await add(owner, id, "{");
  await deps.db.pool.query("UPDATE past_results SET bytes = '\\x00' WHERE run_id = $1", [bad]);
  const strange = await add(owner, id, "no JSON at all");
  await clock.advance(hour);
  await keepResults(deps);
  await expect(open(owner, bad)).rejects.toThrow("not kept any more");
  expect(await open(owner, strange)).toBe("no JSON at all");
  // Nor does a chain that cannot be read stop what follows.
  await deps.db.pool.query("UPDATE past_results SET bytes = '\\x00' WHERE run_id = $1", [strange]);
  const next = await add(owner, id, withRow(1));
  await clock.advance(8 * day);
  await keepResults(deps);
  await thinResults(deps);
  expect(await open(owner, next)).toBe(withRow(1));
});

test("nobody of another organization reads a past result", async ({ deps, make, run, open }) => {
  const [owner, stranger] = [await make.owner(), await make.owner()];
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const runId = await run(owner, id);
  await expect(getPastResultOfRun(deps, stranger, { id: runId })).rejects.toThrow("not kept any more");
  await expect(open(stranger, runId)).rejects.toThrow("not kept any more");
  await expect(listPastResults(deps, stranger, { id, limit: 500 })).rejects.toThrow("no such query");
});

test("a past result is compared with the newest one, and cut ones are refused", async ({
  deps,
  make,
  clock,
  run,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(
    owner,
    "SELECT n AS id, CASE WHEN n = 2 THEN random() * 1000000 ELSE n END AS value FROM generate_series(1, 3) n",
    { engine: "postgres" },
  );
  const from = await run(owner, id);
  const to = await run(owner, id);
  await clock.advance(hour);
  await keepResults(deps);
  expect(await compareResults(deps, owner, { from, to })).toMatchObject({
    ...{ key: ["id"], added: 0, removed: 0, changed: 1, unchanged: 2 },
    rows: [{ change: "changed", before: [{ column: 1 }] }],
  });
  const { info, read } = await getDifferences(deps, owner, { from, to, key: ["id"] });
  expect(info).toMatchObject({ runId: to, rowCount: 1 });
  const { rows } = JSON.parse(gunzipSync(read().whole ?? "").toString()) as { rows: unknown[][] };
  expect(rows).toEqual([["changed", 2, expect.any(Number), expect.any(Number)]]);
  await expect(compareResults(deps, owner, { from, to, key: ["nothing"] })).rejects.toThrow(
    "no column called",
  );
  const stranger = await make.owner();
  await expect(compareResults(deps, stranger, { from, to })).rejects.toThrow("no such run");
  const cut = await make.query(owner, "SELECT n FROM generate_series(1, 20) n", {
    engine: "postgres",
    limits: { rows: 10 },
  });
  const ofCut = await run(owner, cut.id);
  await expect(compareResults(deps, owner, { from, to: ofCut })).rejects.toThrow("cannot be compared");
});
