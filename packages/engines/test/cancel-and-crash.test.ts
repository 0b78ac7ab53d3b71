import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createEngineHosts, type HostExit, type RunRequest } from "../src/index.ts";
import { hostPids, isAlive } from "./host-processes.ts";
import { databaseOf, dataFolder, postgresDatabase, withPostgres } from "./real-databases.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";
import { hasTrino } from "./trino/test-cluster.ts";
import { runInTrino, useTrino } from "./trino-database.ts";

const organizationId = "one";

const exits: HostExit[] = [];
const onUnexpectedExit = (exit: HostExit) => exits.push(exit);
const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, onUnexpectedExit });
// With a grace that never ends: only the database itself can end what is cancelled.
const patient = createEngineHosts({
  size: 1,
  resolveHost: resolveAnyHost,
  dataFolder,
  graceMs: 3_600_000,
  onUnexpectedExit,
});
afterAll(() => Promise.all([hosts.close(), patient.close()]));
beforeEach(() => exits.splice(0));

const times = 50;
const soon = { timeout: 120_000, interval: 10 };

const onDuckdb: RunRequest = {
  organizationId,
  database: databaseOf("duckdb"),
  statement: { text: "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c", values: [] },
};
const onPostgres: RunRequest = {
  organizationId,
  database: databaseOf("postgres"),
  statement: {
    text: "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 1000) c",
    values: [],
  },
};
const quick = (request: RunRequest): RunRequest => ({
  ...request,
  statement: { text: "SELECT 1", values: [] },
});

const activeInPostgres = () =>
  withPostgres(async (client) => {
    const { rows } = await client.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'querybell' AND state = 'active' AND query LIKE 'FETCH%'",
    );
    return rows.length;
  });

describe("cancelling", () => {
  test(`a DuckDB query, ${times} times at ${times} moments: DuckDB lets go each time, in the same process`, async () => {
    await patient.run(quick(onDuckdb));
    const before = hostPids();
    for (let moment = 0; moment < times; moment++) {
      const controller = new AbortController();
      const run = patient.run(onDuckdb, { signal: controller.signal });
      // Not to wait for anything: the moments are spread from before the query starts to well within it.
      await wait(moment * 2);
      controller.abort();
      expect(await run).toMatchObject({ failure: { code: "cancelled" } });
    }
    expect(hostPids()).toEqual(before);
    expect(exits).toEqual([]);
  });

  test(`a Postgres query, ${times} times: the server shows it gone`, async () => {
    for (let time = 0; time < times; time++) {
      const controller = new AbortController();
      const run = patient.run(onPostgres, { signal: controller.signal });
      await vi.waitFor(async () => expect(await activeInPostgres()).toBe(1), soon);
      controller.abort();
      await vi.waitFor(async () => expect(await activeInPostgres()).toBe(0), soon);
      expect(await run).toMatchObject({ failure: { code: "cancelled" } });
    }
    expect(exits).toEqual([]);
  });

  test("a DuckDB query that does not listen: its process is ended, and a fresh one goes on", async () => {
    const single = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, onUnexpectedExit });
    await single.run(quick(onDuckdb));
    const before = hostPids();
    // A constant that takes minutes to compute, which DuckDB does while planning, without looking up.
    const text = "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))";
    const run = await single.run({ ...onDuckdb, statement: { text, values: [] }, limits: { timeMs: 500 } });
    expect(run).toMatchObject({ failure: { code: "query_timeout" } });
    expect(await single.run(quick(onDuckdb))).toMatchObject({ kind: "completed" });
    expect(before.filter(isAlive)).toHaveLength(before.length - 1);
    expect(exits).toMatchObject([{ signal: "SIGKILL" }]);
    await single.close();
  });

  test("a run whose database never answers: it ends at once, and its host makes room for a fresh one", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const single = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder });
    const controller = new AbortController();
    const run = single.run(
      { ...onPostgres, database: postgresDatabase({ port }) },
      { signal: controller.signal },
    );
    await once(silent, "connection");
    controller.abort();
    expect(await run).toMatchObject({ failure: { code: "cancelled" } });
    expect(await single.run(quick(onDuckdb))).toMatchObject({ kind: "completed" });
    await single.close();
    silent.close();
  });

  test("a run that still waits for a host, and one that was cancelled before it was asked for", async () => {
    const first = new AbortController();
    const running = [onDuckdb, onDuckdb].map((request) => hosts.run(request, { signal: first.signal }));
    const second = new AbortController();
    const waiting = hosts.run(onDuckdb, { signal: second.signal });
    second.abort();
    expect(await waiting).toMatchObject({ failure: { code: "cancelled" } });
    expect(await hosts.run(onDuckdb, { signal: AbortSignal.abort() })).toMatchObject({
      failure: { code: "cancelled" },
    });
    const next = hosts.run(quick(onDuckdb));
    first.abort();
    for (const run of running) expect(await run).toMatchObject({ failure: { code: "cancelled" } });
    expect(await next).toMatchObject({ kind: "completed" });
  });
});

describe("killing", () => {
  function start(request: RunRequest) {
    const progress = Promise.withResolvers<void>();
    const busy = hosts.run(request, { onProgress: () => progress.resolve() });
    return { busy, begun: progress.promise };
  }

  test.each([
    ["DuckDB", onDuckdb],
    ["Postgres", onPostgres],
  ])("a host in the middle of a run on %s fails that run, and the next one works", async (_, request) => {
    await Promise.all([hosts.run(quick(request)), hosts.run(quick(request))]);
    const { busy, begun } = start(request);
    await begun;
    for (const pid of hostPids()) process.kill(pid, "SIGKILL");
    expect(await busy).toMatchObject({
      failure: { code: "engine_crashed", message: expect.stringContaining("SIGKILL") },
    });
    expect(await hosts.run(quick(request))).toMatchObject({ kind: "completed" });
    expect(exits.map((exit) => exit.signal)).toContain("SIGKILL");
  });

  test("a host makes the Postgres server give up its query soon after", async () => {
    // What an earlier test killed may go on for a moment.
    await vi.waitFor(async () => expect(await activeInPostgres()).toBe(0), soon);
    const { busy, begun } = start(onPostgres);
    await begun;
    await vi.waitFor(async () => expect(await activeInPostgres()).toBe(1), soon);
    for (const pid of hostPids()) process.kill(pid, "SIGKILL");
    expect(await busy).toMatchObject({ failure: { code: "engine_crashed" } });
    await vi.waitFor(async () => expect(await activeInPostgres()).toBe(0), soon);
  });

  test("the parent ends its hosts, busy or not", async () => {
    const parent = fork(fileURLToPath(new URL("./parent-of-hosts.ts", import.meta.url)), [dataFolder], {
      env: {},
      execArgv: [],
    });
    await messageFrom(parent);
    const pids = hostPids(parent.pid);
    expect(pids).toHaveLength(2);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), soon);
  });
});

describe.skipIf(!hasTrino)("on Trino", () => {
  useTrino();
  const onTrino = (): RunRequest => ({
    organizationId,
    database: databaseOf("trino"),
    statement: { text: "SELECT count(*) FROM tpch.sf10000.lineitem WHERE comment LIKE '%x%x%'", values: [] },
  });
  const unfinished = async (state: string) => {
    const rows = await runInTrino(
      `SELECT 1 FROM system.runtime.queries WHERE source = 'querybell' AND query LIKE '%sf10000%' AND state ${state}`,
    );
    return rows.length;
  };
  const isRunning = () => vi.waitFor(async () => expect(await unfinished("= 'RUNNING'")).toBe(1), soon);
  const nothingIsLeft = async () => expect(await unfinished("NOT IN ('FINISHED', 'FAILED')")).toBe(0);

  test("a query that is cancelled at any moment is gone from the cluster when the run has ended", async () => {
    for (const delayMs of [0, 5, 20, 50, 100, 200]) {
      const controller = new AbortController();
      const run = patient.run(onTrino(), { signal: controller.signal });
      // Not to wait for anything: the moments are spread from before the query starts to well within it.
      await wait(delayMs);
      controller.abort();
      expect(await run).toMatchObject({ failure: { code: "cancelled" } });
      await nothingIsLeft();
    }
    const controller = new AbortController();
    const run = patient.run(onTrino(), { signal: controller.signal });
    await isRunning();
    controller.abort();
    expect(await run).toMatchObject({ failure: { code: "cancelled" } });
    await nothingIsLeft();
    expect(exits).toEqual([]);
  });

  test("a query whose host is killed is gone from the cluster when the run has ended, and the next one works", async () => {
    const busy = hosts.run(onTrino());
    await isRunning();
    for (const pid of hostPids()) process.kill(pid, "SIGKILL");
    expect(await busy).toMatchObject({ failure: { code: "engine_crashed" } });
    await nothingIsLeft();
    expect(await hosts.run(quick(onTrino()))).toMatchObject({ kind: "completed" });
  });

  test("a query whose worker is killed is ended by whoever takes the run over", async () => {
    const parent = fork(
      fileURLToPath(new URL("./parent-of-trino-run.ts", import.meta.url)),
      [dataFolder, JSON.stringify({ ...onTrino(), label: "taken over" })],
      { env: {}, execArgv: [] },
    );
    await isRunning();
    parent.kill("SIGKILL");
    const again = hosts.run({ ...quick(onTrino()), label: "taken over", isTakenOver: true });
    expect(await again).toMatchObject({ kind: "completed" });
    await nothingIsLeft();
  });
});

test("closing fails what is running and leaves no process behind", async () => {
  const closing = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder });
  const others = hostPids();
  const busy = closing.run(onDuckdb);
  const waiting = closing.run(onDuckdb);
  await vi.waitFor(() => expect(hostPids().length).toBeGreaterThan(others.length), soon);
  await closing.close();
  for (const run of [busy, waiting]) expect(await run).toMatchObject({ failure: { code: "cancelled" } });
  expect(hostPids()).toEqual(others);
  expect(await closing.run(quick(onDuckdb))).toMatchObject({ failure: { code: "cancelled" } });
});

async function messageFrom(child: ChildProcess): Promise<void> {
  await once(child, "message");
}
