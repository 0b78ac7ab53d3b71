import { once } from "node:events";
import type { Caller } from "@querybell/domain";
import { describe, expect, onTestFinished, vi } from "vitest";
import {
  claimRun,
  endAutomationRun,
  executeAutomationRun,
  renewClaim,
  stopAutomationRun,
  triggerAutomation,
} from "./automations/index.ts";
import { keepLease, maxAttempts, maxHostDeaths, releaseLease, renewLease } from "./leases.ts";
import { cancelRun, executeRun, getRun, runQuery } from "./runs/index.ts";
import { claimOneAutomationRun, claimOneQueryRun, dbTest, listenForNotices } from "./testing/index.ts";

const runs = "query_runs";

// A worker that has lost its run stops its engine host.
const quietTest = dbTest.extend("onError", { scope: "file" }, () => () => {});

const test = quietTest.extend("leases", { scope: "file" }, ({ deps, make }) => {
  const { pool } = deps.db;
  const expire = (id: string, table = runs) =>
    pool.query(`UPDATE ${table} SET lease_until = now() - interval '1 ms' WHERE id = $1`, [id]);
  const claim = async (id: string) => {
    const claimed = await claimOneQueryRun(deps, id);
    if (!claimed) throw new Error("The run cannot be claimed.");
    return claimed;
  };
  /** A run of a new organization that waits. */
  const waiting = async (sql = "SELECT 1") => {
    const owner: Caller = await make.owner();
    const { id: queryId } = await make.query(owner, sql);
    const { id } = await runQuery(deps, owner, { id: queryId, parameterValues: {} });
    return { owner, id };
  };
  return {
    expire,
    claim,
    waiting,
    /** A run that one worker has claimed, has lost, and another has claimed. */
    async takenOver(sql = "SELECT 1") {
      const { owner, id } = await waiting(sql);
      const lost = await claim(id);
      await expire(id);
      return { owner, id, lost, current: await claim(id) };
    },
    async read(id: string) {
      const { rows } = await pool.query(
        `SELECT status::text, lease_number AS "leaseNumber", lease_until > now() AS "isLeased",
           lease_until > now() + interval '10 seconds' AS "isLeasedForLong", progress_rows AS "progressRows",
           engine_progress AS "engineProgress", started_at AS "startedAt"
         FROM query_runs WHERE id = $1`,
        [id],
      );
      return rows[0];
    },
  };
});

/** From here on, a lease is renewed for the time that has passed only when the test says so. */
function stopIntervals(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Well within the time for which a lease holds. */
const passSeconds = () => vi.advanceTimersByTime(5_000);

const failTest = (error: unknown) => expect.unreachable(String(error));
const quiet = { signal: new AbortController().signal, onError: () => {} };

describe("a claim", () => {
  test("has a lease of some seconds, and a number above that of every claim before", async ({ leases }) => {
    const { id, lost, current } = await leases.takenOver();
    expect([lost.leaseNumber, current.leaseNumber]).toEqual([1, 2]);
    expect(await leases.read(id)).toMatchObject({ status: "running", leaseNumber: 2, isLeasedForLong: true });
  });

  test("of a run that was begun before keeps the time at which it began", async ({ leases, clock }) => {
    const { id } = await leases.waiting();
    await leases.claim(id);
    const { startedAt } = await leases.read(id);
    await clock.advance(60_000);
    await leases.expire(id);
    await leases.claim(id);
    expect((await leases.read(id)).startedAt).toEqual(startedAt);
  });

  test("of an automation's run that was begun before keeps its deadline", async ({
    leases,
    make,
    deps,
    clock,
  }) => {
    const owner = await make.owner();
    const { id } = await triggerAutomation(deps, owner, await make.automation(owner));
    const first = await claimOneAutomationRun(deps, id);
    await clock.advance(60_000);
    await leases.expire(id, "automation_runs");
    const second = await claimOneAutomationRun(deps, id);
    expect([first?.leaseNumber, second?.leaseNumber]).toEqual([1, 2]);
    expect(second?.deadlineAt).toEqual(first?.deadlineAt);
  });

  test("does not wait for a transaction that only refers to the run", async ({ leases, deps }) => {
    const { id } = await leases.waiting();
    const client = await deps.db.pool.connect();
    onTestFinished(() => client.release(true));
    await client.query("BEGIN");
    await client.query("SELECT FROM query_runs WHERE id = $1 FOR KEY SHARE", [id]);
    expect(await claimOneQueryRun(deps, id)).toMatchObject({ id });
  });
});

describe("a lease is renewed", () => {
  test("by the newest claim of a run that runs, and by nobody else", async ({ leases, deps }) => {
    const { id, lost, current } = await leases.takenOver();
    await leases.expire(id);
    expect(await renewLease(deps, { table: runs, ...lost })).toBeUndefined();
    expect(await leases.read(id)).toMatchObject({ isLeased: false });
    const renewed = await renewLease(deps, { table: runs, ...current });
    expect(renewed?.leaseUntil.getTime()).toBeGreaterThan(Date.now());
    expect(await leases.read(id)).toMatchObject({ isLeasedForLong: true });

    await executeRun(deps, current, quiet);
    expect(await leases.read(id)).toMatchObject({ status: "completed" });
    expect(await renewLease(deps, { table: runs, ...current })).toBeUndefined();
  });

  test("without progress keeps the progress that was recorded", async ({ leases, deps }) => {
    const { id } = await leases.waiting();
    const lease = { table: runs, ...(await leases.claim(id)) } as const;
    const engine = { state: "RUNNING", rowsRead: 5, bytesRead: 6, completedSplits: 1, totalSplits: 2 };
    await renewLease(deps, lease, { progress: { rows: 7, engine } });
    await renewLease(deps, lease);
    expect(await leases.read(id)).toMatchObject({ progressRows: 7, engineProgress: engine });
  });
});

describe("whoever keeps a lease is told", () => {
  test("that it is lost", async ({ leases, deps }) => {
    const { lost } = await leases.takenOver();
    stopIntervals();
    const kept = keepLease(deps, { table: runs, ...lost, onError: failTest });
    const aborted = once(kept.signal, "abort");
    passSeconds();
    await aborted;
    await kept.stop();
  });

  test("that its run is cancelled, at once", async ({ leases, deps }) => {
    const { id, owner } = await leases.waiting();
    const claimed = await leases.claim(id);
    await listenForNotices(deps.db.notices, "querybell_run_cancelled");
    stopIntervals();
    const kept = keepLease(deps, { table: runs, ...claimed, onError: failTest });
    const aborted = once(kept.signal, "abort");
    await cancelRun(deps, owner, { id });
    await aborted;
    await kept.stop();
  });

  test("that its automation's run was stopped, at once", async ({ make, deps }) => {
    const owner = await make.owner();
    const { id } = await triggerAutomation(deps, owner, await make.automation(owner));
    const claimed = await claimOneAutomationRun(deps, id);
    await listenForNotices(deps.db.notices, "querybell_automation_run_ended");
    stopIntervals();
    const kept = keepLease(deps, {
      table: "automation_runs",
      id,
      leaseNumber: claimed?.leaseNumber ?? 0,
      onError: failTest,
    });
    const aborted = once(kept.signal, "abort");
    await stopAutomationRun(deps, owner, { id });
    await aborted;
    await kept.stop();
  });

  test("that its deadline has passed", async ({ leases, deps }) => {
    const { id } = await leases.waiting();
    const claimed = await leases.claim(id);
    stopIntervals();
    const kept = keepLease(deps, {
      table: runs,
      ...claimed,
      isLate: () => true,
      onError: failTest,
    });
    const aborted = once(kept.signal, "abort");
    passSeconds();
    await aborted;
    await kept.stop();
  });

  test("nothing while the database fails, which may pass", async ({ leases, deps }) => {
    const { id } = await leases.waiting();
    const claimed = await leases.claim(id);
    const failed = Promise.withResolvers<unknown>();
    const query = () => Promise.reject(new Error("The database does not answer."));
    const pool = new Proxy(deps.db.pool, {
      get: (target, name) => (name === "query" ? query : Reflect.get(target, name)),
    });
    const db = { ...deps.db, pool };
    stopIntervals();
    const kept = keepLease({ db }, { table: runs, ...claimed, onError: failed.resolve });
    passSeconds();
    expect(await failed.promise).toMatchObject({ message: "The database does not answer." });
    expect(kept.signal.aborted).toBe(false);
    await kept.stop();
  });
});

test("a lease that is no longer kept is not renewed, neither in time nor by a notice", async ({
  leases,
  deps,
}) => {
  const { id, owner } = await leases.waiting();
  const claimed = await leases.claim(id);
  let renewals = 0;
  const pool = new Proxy(deps.db.pool, {
    get(target, name) {
      if (name === "query") renewals++;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const notice = await listenForNotices(deps.db.notices, "querybell_run_cancelled");
  stopIntervals();
  const kept = keepLease(
    { db: { ...deps.db, pool } },
    { table: runs, ...claimed, progress: () => ({ rows: 1 }), onError: failTest },
  );
  passSeconds();
  await kept.stop();
  expect(await leases.read(id)).toMatchObject({ progressRows: 1 });
  const before = renewals;
  passSeconds();
  await cancelRun(deps, owner, { id });
  await notice(id);
  expect(renewals).toBe(before);
});

test("whoever stops keeping a lease waits for the renewal that has begun", async ({ leases, deps }) => {
  const { id } = await leases.waiting();
  const claimed = await leases.claim(id);
  const client = await deps.db.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query("BEGIN");
  await client.query("SELECT FROM query_runs WHERE id = $1 FOR UPDATE", [id]);
  stopIntervals();
  const kept = keepLease(deps, { table: runs, ...claimed, onError: failTest });
  passSeconds();
  let isStopped = false;
  const stopped = kept.stop().then(() => {
    isStopped = true;
  });
  await deps.db.pool.query("SELECT 1");
  expect(isStopped).toBe(false);
  await client.query("COMMIT");
  await stopped;
});

describe("a lease is released", () => {
  test("by the newest claim, and then claimed at once by a worker that is told", async ({ leases, deps }) => {
    const { id, lost, current } = await leases.takenOver();
    await releaseLease(deps, { table: runs, ...lost });
    expect(await leases.read(id)).toMatchObject({ isLeased: true });
    const notice = await listenForNotices(deps.db.notices, "querybell_run_waiting");
    await releaseLease(deps, { table: runs, ...current });
    await notice(id);
    expect(await leases.claim(id)).toMatchObject({ leaseNumber: 3 });
  });

  test("only while the run runs", async ({ leases, deps }) => {
    const { id, current } = await leases.takenOver();
    await executeRun(deps, current, quiet);
    await releaseLease(deps, { table: runs, ...current });
    expect(await leases.read(id)).toMatchObject({ status: "completed" });
  });
});

describe("a worker whose run was taken over", () => {
  test("stores no result, and the one that has it does", async ({ leases, deps }) => {
    const { id, owner, lost, current } = await leases.takenOver();
    await executeRun(deps, lost, quiet);
    expect(await getRun(deps, owner, { id })).toMatchObject({ status: "running" });
    await executeRun(deps, current, quiet);
    expect(await getRun(deps, owner, { id })).toMatchObject({ status: "completed" });
  });

  test("stores no large result either, and adds nothing to that of the other", async ({ leases, deps }) => {
    // Compressed it is larger than what is written at once.
    const { id, owner, lost, current } = await leases.takenOver(
      `SELECT ${Array.from({ length: 8 }, (_, at) => `md5((n * ${at + 2})::text)`).join(" || ")} AS x FROM range(50000) t(n)`,
    );
    // It does not find out in time that its lease is lost.
    stopIntervals();
    await executeRun(deps, lost, quiet);
    expect(await getRun(deps, owner, { id })).toMatchObject({ status: "running" });
    expect(await deps.db.prisma.queryResult.count({ where: { runId: id } })).toBe(0);
    await executeRun(deps, current, quiet);
    const read = () => deps.db.prisma.queryResult.findUniqueOrThrow({ where: { runId: id } });
    const stored = await read();
    expect(stored.gzippedJson.length).toBeGreaterThan(4 * 1024 ** 2);
    await executeRun(deps, lost, quiet);
    // A failing comparison of the bytes themselves would be printed for minutes.
    const { gzippedJson, ...rest } = await read();
    expect(Buffer.compare(gzippedJson, stored.gzippedJson)).toBe(0);
    expect(stored).toMatchObject(rest);
  });

  test("completes nothing a second time", async ({ leases, deps, clock }) => {
    const { id, owner, current } = await leases.takenOver();
    stopIntervals();
    await executeRun(deps, current, quiet);
    const completed = await getRun(deps, owner, { id });
    await clock.advance(1000);
    await executeRun(deps, current, quiet);
    expect(await getRun(deps, owner, { id })).toEqual(completed);
  });

  test("writes no step of an automation's run, and does not end it", async ({ leases, make, deps }) => {
    const owner = await make.owner();
    const { id } = await triggerAutomation(deps, owner, await make.automation(owner));
    const lost = await claimOneAutomationRun(deps, id);
    await leases.expire(id, "automation_runs");
    await claimOneAutomationRun(deps, id);
    if (!lost) throw new Error("The run cannot be claimed.");
    stopIntervals();
    await executeAutomationRun(deps, lost, quiet);
    const steps = await deps.db.prisma.automationStep.findMany({ where: { runId: id } });
    expect(steps.map(({ name }) => name)).toEqual(["instruction"]);
    const ended = { ...lost, automationName: lost.brief.name };
    expect(await endAutomationRun(deps, ended, { kind: "completed", summary: "Mine." })).toBeUndefined();
    const run = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
    expect(run).toMatchObject({ status: "running", leaseNumber: 2 });
  });

  test("does not let it fail", async ({ leases, deps }) => {
    const { id, owner, lost } = await leases.takenOver("SELECT * FROM a_table_that_is_missing");
    await executeRun(deps, lost, quiet);
    expect(await getRun(deps, owner, { id })).toMatchObject({ status: "running" });
  });
});

test("a run whose workers die, and its engine hosts with them, is begun twice and not a third time", async ({
  leases,
  deps,
}) => {
  const { id, owner, current } = await leases.takenOver();
  expect(current.hostDeaths).toBe(maxHostDeaths - 1);
  await leases.expire(id);
  await executeRun(deps, await leases.claim(id), quiet);
  expect(await getRun(deps, owner, { id })).toMatchObject({
    status: "failed",
    failure: { code: "worker_lost", message: expect.stringMatching(/^The run was begun 2 times,/) },
  });

  const other = await leases.takenOver();
  await executeRun(deps, other.current, quiet);
  expect(await getRun(deps, other.owner, { id: other.id })).toMatchObject({ status: "completed" });
});

test("a run whose workers are stopped is begun five times, and fails at the sixth", async ({
  leases,
  deps,
}) => {
  /** A run that workers have claimed and given back. */
  const givenBack = async (times: number) => {
    const made = await leases.waiting();
    for (let claims = 0; claims < times; claims++) {
      await releaseLease(deps, { table: runs, ...(await leases.claim(made.id)) });
    }
    return made;
  };
  const { id, owner } = await givenBack(maxAttempts);
  await executeRun(deps, await leases.claim(id), quiet);
  expect(await getRun(deps, owner, { id })).toMatchObject({
    status: "failed",
    failure: { code: "worker_lost", message: expect.stringMatching(/^The run was begun 5 times,/) },
  });

  const other = await givenBack(maxAttempts - 1);
  const last = await leases.claim(other.id);
  expect(last).toMatchObject({ leaseNumber: maxAttempts, hostDeaths: 0 });
  await executeRun(deps, last, quiet);
  expect(await getRun(deps, other.owner, { id: other.id })).toMatchObject({ status: "completed" });
});

test("a renewal of an external agent counts from now", async ({ make, deps }) => {
  const owner = await make.owner();
  const automation = await make.automation(owner, { agent: "external" });
  await triggerAutomation(deps, owner, automation);
  const claim = await claimRun(deps, owner, { leaseSeconds: 5 });
  if (!claim) throw new Error("There is no run to claim.");
  const { run, claimNumber } = claim;
  const renewed = await renewClaim(deps, owner, { runId: run.id, claimNumber, leaseSeconds: 3600 });
  expect(Date.parse(renewed.leaseUntil) - Date.parse(claim.leaseUntil)).toBeGreaterThan(3_000_000);
});
