import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { EngineKind } from "@querybell/domain";
import {
  databaseOf,
  dataFolder,
  describeEngines,
  serverDatabase,
} from "@querybell/engines/testing/real-databases";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createEngineHosts, type EngineHosts, type HostExit, type RunRequest } from "./index.ts";
import { countRunning, endless } from "./testing/endless-statements.ts";
import { hostPids, isAlive } from "./testing/host-processes.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const exits: HostExit[] = [];
const options = {
  resolveHost: resolveAnyHost,
  dataFolder,
  onUnexpectedExit: (exit: HostExit) => exits.push(exit),
};
const hosts = createEngineHosts({ ...options, size: 2 });
// With a grace period that never ends, so that only the database itself can end a cancelled statement.
const patient = createEngineHosts({ ...options, size: 1, graceMs: 3_600_000 });
afterAll(() => Promise.all([hosts.close(), patient.close()]));
beforeEach(() => exits.splice(0));

const soon = { timeout: 120_000, interval: 10 };
const cancelled = { failure: { code: "cancelled" } };

const requestOn = (engine: EngineKind, text = endless[engine]): RunRequest => ({
  organizationId: "one",
  database: databaseOf(engine),
  statement: { text, values: [] },
});
const shortRunOn = (engine: EngineKind) => requestOn(engine, "SELECT 1");

/** Starts a run that never ends, and waits until the engine executes it. */
async function startEndless(engine: EngineKind, on: EngineHosts, signal?: AbortSignal) {
  const started = Promise.withResolvers<void>();
  const run = on.run(requestOn(engine), { onProgress: () => started.resolve(), signal });
  await started.promise;
  if (engine !== "duckdb") await vi.waitFor(async () => expect(await countRunning(engine)).toBe(1), soon);
  return { run };
}

/** Trino has ended the query before the run ends. Postgres may show the statement for a moment longer. */
async function expectNothingRunning(engine: EngineKind): Promise<void> {
  if (engine === "trino") expect(await countRunning(engine)).toBe(0);
  else await vi.waitFor(async () => expect(await countRunning(engine)).toBe(0), soon);
}

// QUERYBELL_TEST_RUNS=<n> tries more.
const runs = process.env.QUERYBELL_TEST_RUNS;
const moments: Record<EngineKind, { count: number; lastMs: number }> = {
  duckdb: { count: Number(runs ?? 12), lastMs: 100 },
  postgres: { count: Number(runs ?? 12), lastMs: 100 },
  // A session takes longer to start here.
  trino: { count: Number(runs ?? 10), lastMs: 360 },
};

describeEngines("on", (engine) => {
  const { count, lastMs } = moments[engine];

  test(`a run that is cancelled at any of ${count} moments ends, in the same host, and its statement too`, async () => {
    await patient.run(shortRunOn(engine));
    const before = hostPids();
    for (let moment = 0; moment < count; moment++) {
      const controller = new AbortController();
      const run = patient.run(requestOn(engine), { signal: controller.signal });
      // Does not wait for anything: the moments are spread from before the statement starts to well within it.
      await wait((moment / (count - 1)) * lastMs);
      controller.abort();
      expect(await run).toMatchObject(cancelled);
      await expectNothingRunning(engine);
    }
    expect(exits).toEqual([]);
    expect(hostPids()).toEqual(before);
  });

  test("a run that is cancelled while its statement is executed ends each time", async () => {
    for (let time = 0; time < count / 2; time++) {
      const controller = new AbortController();
      const { run } = await startEndless(engine, patient, controller.signal);
      controller.abort();
      expect(await run).toMatchObject(cancelled);
      await expectNothingRunning(engine);
    }
    expect(exits).toEqual([]);
  });

  test("a killed host fails its run, its statement ends, and the next run completes", async () => {
    await Promise.all([hosts.run(shortRunOn(engine)), hosts.run(shortRunOn(engine))]);
    const { run } = await startEndless(engine, hosts);
    for (const pid of hostPids()) process.kill(pid, "SIGKILL");
    expect(await run).toMatchObject({
      failure: { code: "engine_crashed", message: expect.stringContaining("SIGKILL") },
    });
    await expectNothingRunning(engine);
    expect(await hosts.run(shortRunOn(engine))).toMatchObject({ kind: "completed" });
    expect(exits.map((exit) => exit.signal)).toContain("SIGKILL");
  });

  test("a killed parent ends its hosts, and a run that is taken over finds nothing running", async () => {
    const label = `taken over on ${engine}`;
    const script = fileURLToPath(new URL("./testing/parent-process.ts", import.meta.url));
    const request = JSON.stringify({ ...requestOn(engine), label });
    const parent = fork(script, [dataFolder, request], { env: {}, execArgv: [] });
    await once(parent, "message");
    if (engine !== "duckdb") await vi.waitFor(async () => expect(await countRunning(engine)).toBe(1), soon);
    const pids = hostPids(parent.pid);
    expect(pids).toHaveLength(2);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), soon);
    const again = await hosts.run({ ...shortRunOn(engine), label, isTakenOver: true });
    expect(again).toMatchObject({ kind: "completed" });
    await expectNothingRunning(engine);
  });

  if (engine === "duckdb") return;
  test("a run whose server never answers ends at once when it is cancelled, and the next run completes", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const single = createEngineHosts({ ...options, size: 1 });
    const controller = new AbortController();
    const database = serverDatabase(engine, { port });
    const run = single.run({ ...requestOn(engine), database }, { signal: controller.signal });
    await once(silent, "connection");
    controller.abort();
    expect(await run).toMatchObject(cancelled);
    expect(await single.run(shortRunOn(engine))).toMatchObject({ kind: "completed" });
    await single.close();
    silent.close();
  });
});

describe("hosts", () => {
  test("are killed if the engine ignores a cancel, and a new one continues", async () => {
    const single = createEngineHosts({ ...options, size: 1 });
    await single.run(shortRunOn("duckdb"));
    const before = hostPids();
    // A constant that takes minutes to compute. DuckDB does that while planning, where it ignores interrupts.
    const text = "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))";
    const run = await single.run({ ...requestOn("duckdb", text), limits: { timeMs: 1_000 } });
    expect(run).toMatchObject({ failure: { code: "query_timeout" } });
    expect(await single.run(shortRunOn("duckdb"))).toMatchObject({ kind: "completed" });
    expect(before.filter(isAlive)).toHaveLength(before.length - 1);
    expect(exits).toMatchObject([{ signal: "SIGKILL" }]);
    await single.close();
  });

  test("are not needed to cancel a run that still waits for one, or that was cancelled before", async () => {
    const first = new AbortController();
    const running = [1, 2].map(() => hosts.run(requestOn("duckdb"), { signal: first.signal }));
    const second = new AbortController();
    const waiting = hosts.run(requestOn("duckdb"), { signal: second.signal });
    second.abort();
    expect(await waiting).toMatchObject(cancelled);
    expect(await hosts.run(requestOn("duckdb"), { signal: AbortSignal.abort() })).toMatchObject(cancelled);
    const next = hosts.run(shortRunOn("duckdb"));
    first.abort();
    for (const run of running) expect(await run).toMatchObject(cancelled);
    expect(await next).toMatchObject({ kind: "completed" });
  });

  test("that are closed fail their runs and leave no process", async () => {
    const closing = createEngineHosts({ ...options, size: 1 });
    const others = hostPids();
    const busy = closing.run(requestOn("duckdb"));
    const waiting = closing.run(requestOn("duckdb"));
    await vi.waitFor(() => expect(hostPids().length).toBeGreaterThan(others.length), soon);
    await closing.close();
    for (const run of [busy, waiting]) expect(await run).toMatchObject(cancelled);
    expect(hostPids()).toEqual(others);
    expect(await closing.run(shortRunOn("duckdb"))).toMatchObject(cancelled);
  });
});
