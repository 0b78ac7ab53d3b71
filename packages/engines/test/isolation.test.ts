import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findHostPid } from "../src/host/host-pid.ts";
import { bubblewrap } from "../src/host/isolation/bubblewrap.ts";
import { tryIsolation } from "../src/host/isolation/find-isolation.ts";
import type { Isolation } from "../src/host/isolation/isolation.ts";
import { landlock } from "../src/host/isolation/landlock.ts";
import { noIsolation } from "../src/host/isolation/no-isolation.ts";
import { ownUser } from "../src/host/isolation/own-user.ts";
import { userNamespace } from "../src/host/isolation/user-namespace.ts";
import { residentBytes } from "../src/host/memory-watch.ts";
import { killHost, spawnHost } from "../src/host/spawn-host.ts";
import { createEngineHosts } from "../src/index.ts";
import { exitSql } from "../src/testing/native-call.ts";
import { hostPids, isAlive, nicenessOf } from "./host-processes.ts";
import { databaseOf, dataFolder, describeEngines, runInDuckdb } from "./real-databases.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";
import { createUploadWorkspace, importOf } from "./upload-workspace.ts";

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const isRoot = process.getuid?.() === 0;

// Before any test and its time limit: where it is not installed, Debian's is fetched.
const fetched = execFileSync(process.execPath, [script("../../../scripts/ensure-bubblewrap.ts")]);
const ways = [bubblewrap(fetched.toString().trim()), ownUser, userNamespace, landlock];

const database = join(dataFolder, "test.duckdb");
const secretFiles = ["sealing-keys", "other.duckdb"].map((name) => join(dataFolder, name));
const unixSocket = join(dataFolder, "socket");
const abstractSocket = `querybell-${process.pid}`;
const server = createServer();
const localServers = [createServer(), createServer()];

beforeAll(async () => {
  process.env.HOSTILE_TEST_SECRET = "1";
  for (const file of secretFiles) writeFileSync(file, "secret", { mode: 0o600 });
  // Owned by us alone, as the product's own files are.
  chmodSync(database, 0o600);
  server.listen(0, "127.0.0.1");
  localServers[0]?.listen(unixSocket);
  localServers[1]?.listen(`\0${abstractSocket}`);
  await Promise.all([server, ...localServers].map((each) => once(each, "listening")));
});
afterAll(() => {
  for (const each of [server, ...localServers]) each.close();
});

interface Outcome {
  possible: string[];
  tried: number;
  seen: number;
}

async function runHostile(
  isolation: Isolation,
  { skipped = [], workspace }: { skipped?: string[]; workspace?: string } = {},
): Promise<Outcome> {
  const address = server.address();
  const target = {
    pid: process.pid,
    secretFiles,
    folders: [dataFolder, "/tmp", "/etc", "/home", "/root", "/proc", "/sys"],
    database,
    tcpPort: typeof address === "object" ? address?.port : 0,
    unixSocket,
    abstractSocket,
    skipped,
    workspace,
  };
  const node = [process.execPath, script("./hostile-host.ts"), JSON.stringify(target)];
  const child = spawnHost(isolation, { databaseFiles: [database], workspace, node });
  let errorText = "";
  child.stderr?.on("data", (data) => {
    errorText += data;
  });
  const ended = once(child, "close").then(() => {
    throw new Error(`It ended: ${errorText}`);
  });
  const [outcome] = await Promise.race([once(child, "message"), ended]);
  ended.catch(() => {});
  killHost(child);
  return outcome;
}

test("without isolation, native code in a host reaches almost everything: the attempts are real", async () => {
  const { possible, tried } = await runHostile(noIsolation, {
    skipped: [
      "write the database",
      "write into /tmp",
      "write into its own folder",
      "truncate a file",
      "become another user",
      "mount something",
      "share memory",
    ],
  });
  expect(possible).toEqual(
    expect.arrayContaining([
      "read the parent's environment",
      "read the parent's memory",
      "read /etc/passwd",
      "open a TCP connection",
      "open a Unix socket",
      "open an abstract socket",
      "send UDP",
      "signal the parent",
      ...secretFiles.map((file) => `read ${file}`),
    ]),
  );
  expect(possible.length).toBeGreaterThan(tried / 2);
});

describe.each(ways.map((way) => [way.name, way] as const))("a host kept apart by %s", (_, isolation) => {
  beforeEach(({ skip }) =>
    skip(
      isolation === ownUser && !isRoot,
      "Only root can give a host a user of its own: run the tests as root.",
    ),
  );
  const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, isolation });
  afterAll(() => hosts.close());
  const organizationId = "one";

  test("is found to be apart when it is tried", async () => {
    expect(await tryIsolation(isolation)).toBeUndefined();
  });

  test("runs native code that reaches no process, no file, no socket, and gains no rights", async () => {
    const { possible, seen } = await runHostile(isolation);
    expect(possible).toEqual([]);
    expect(seen).toBeGreaterThan(0);
  });

  test("that may write into one folder writes there, and reaches nothing else either", async () => {
    const workspace = mkdtempSync(join(tmpdir(), "querybell-workspace-"));
    try {
      const { possible } = await runHostile(isolation, { workspace });
      expect(possible).toEqual(["write into the workspace"]);
      expect(readFileSync(join(workspace, "written"), "utf8")).toBe("x");
      expect(statSync(join(workspace, "written")).uid).toBe(process.getuid?.());
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });

  test("imports an uploaded file into a database in such a folder", async () => {
    using space = createUploadWorkspace(hosts);
    const file = space.file("id,name\n1,a\n");
    expect(await space.preview(file)).toMatchObject({ kind: "previewed" });
    for (const mode of ["create", "append", "replace"] as const) {
      expect(await space.change(importOf(file, { mode }))).toMatchObject({ kind: "changed" });
    }
    expect(await space.read("FROM sales")).toEqual([["1", "a"]]);
  });

  test("runs the code that hostile SQL brings along, where no judge stands before it, and ends alone", async () => {
    const node = [
      process.execPath,
      script("../src/testing/run-without-judge.ts"),
      database,
      await exitSql(42),
    ];
    const child = spawnHost(isolation, { databaseFiles: [database], node });
    const [code] = await once(child, "close");
    expect(code).toBe(42);
  });

  describeEngines("with a connection that its parent made, on", (engine) => {
    test("runs a query", async () => {
      const statement = { text: "SELECT 1 AS a", values: [] };
      const run = await hosts.run({ organizationId, database: databaseOf(engine), statement });
      expect(run).toMatchObject({ kind: "completed", rowCount: 1 });
    });
  });

  test("sees the file that took the place of its database", async () => {
    const request = {
      organizationId,
      database: databaseOf("duckdb"),
      statement: { text: "SELECT count(*) FROM duckdb_tables()", values: [] },
    };
    await hosts.run(request);
    const before = hostPids();
    await runInDuckdb("CREATE TABLE IF NOT EXISTS one (a integer)", "next.duckdb");
    execFileSync("mv", [join(dataFolder, "next.duckdb"), database]);
    await hosts.run(request);
    expect(hostPids()).not.toEqual(before);
  });

  test("is watched by the memory that it uses itself", async () => {
    await hosts.run({
      organizationId,
      database: databaseOf("duckdb"),
      statement: { text: "SELECT 1", values: [] },
    });
    const memory = hostPids().map((pid) => residentBytes(findHostPid(pid)) ?? 0);
    expect(Math.min(...memory)).toBeGreaterThan(30 * 1024 ** 2);
    const big = { text: "SELECT repeat('x', 150000000)", values: [] };
    const limits = { memoryBytes: 64 * 1024 ** 2 };
    expect(
      await hosts.run({ organizationId, database: databaseOf("postgres"), statement: big, limits }),
    ).toMatchObject({ failure: { code: "out_of_memory" } });
  });

  test("leaves the processor to others once it has computed for a while", async () => {
    const single = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, isolation });
    const others = hostPids();
    const leaving = new AbortController();
    const text = "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c";
    const run = single.run(
      { organizationId, database: databaseOf("duckdb"), statement: { text, values: [] } },
      { signal: leaving.signal },
    );
    const niceness = () => {
      const [started = 0] = hostPids().filter((pid) => !others.includes(pid));
      return nicenessOf(findHostPid(started));
    };
    await vi.waitFor(() => expect(Math.min(...niceness())).toBe(15), { timeout: 60_000 });
    leaving.abort();
    await run;
    await single.close();
  });

  test("is ended with everything that stands before it", async () => {
    const single = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, isolation });
    const others = hostPids();
    await single.run({
      organizationId,
      database: databaseOf("duckdb"),
      statement: { text: "SELECT 1", values: [] },
    });
    const started = hostPids().filter((pid) => !others.includes(pid));
    const all = [...started, ...started.map(findHostPid)];
    await single.close();
    await vi.waitFor(() => expect(all.filter(isAlive)).toEqual([]), { timeout: 60_000 });
  });
});

test("a way that is not there is found not to work, with a reason", async () => {
  expect(await tryIsolation(bubblewrap("/nowhere/bwrap"))).toMatch(/could not be started.*ENOENT/);
  expect(await tryIsolation(noIsolation)).toMatch(/were possible: reading \/etc\/passwd/);
});

test("hosts of two organizations are never shared, and one that is idle makes room", async () => {
  const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, isolation: landlock });
  const others = hostPids();
  const run = (organizationId: string) =>
    hosts.run({
      organizationId,
      database: databaseOf("duckdb"),
      statement: { text: "SELECT 1", values: [] },
    });
  const seen = new Map<string, number[]>();
  for (const organizationId of ["a", "b", "c", "a"]) {
    await run(organizationId);
    seen.set(
      organizationId,
      hostPids().filter((pid) => !others.includes(pid)),
    );
  }
  expect(new Set([...seen.values()].flat()).size).toBeGreaterThanOrEqual(3);
  await vi.waitFor(() =>
    expect(hostPids().filter((pid) => !others.includes(pid)).length).toBeLessThanOrEqual(2),
  );
  await hosts.close();
});

test("an organization that is new to a server gets a host that was started ahead and had no task yet", async () => {
  const hosts = createEngineHosts({
    size: 2,
    resolveHost: resolveAnyHost,
    dataFolder,
    isolation: landlock,
    keepsSpareHost: true,
  });
  const others = hostPids();
  const started = () => hostPids().filter((pid) => !others.includes(pid));
  const run = (organizationId: string) =>
    hosts.run({
      organizationId,
      database: databaseOf("postgres"),
      statement: { text: "SELECT 1", values: [] },
    });
  const nextSpare = async (known: number[]): Promise<number> => {
    await vi.waitFor(() => expect(started().length).toBeGreaterThan(known.length), { timeout: 60_000 });
    return started().find((pid) => !known.includes(pid)) ?? 0;
  };
  await run("a");
  const dying = await nextSpare(started().slice(0, 1));
  process.kill(dying, "SIGKILL");
  await vi.waitFor(() => expect(isAlive(dying)).toBe(false), { timeout: 60_000 });
  expect(await run("b")).toMatchObject({ kind: "completed" });

  const spare = await nextSpare(started().slice(0, 2));
  process.kill(spare, "SIGSTOP");
  let isOver = false;
  const stopped = run("c").finally(() => {
    isOver = true;
  });
  // By now one that was started for it would have answered.
  expect(await run("d")).toMatchObject({ kind: "completed" });
  expect(isOver).toBe(false);
  process.kill(spare, "SIGCONT");
  expect(await stopped).toMatchObject({ kind: "completed" });
  await hosts.close();
  await vi.waitFor(() => expect(hostPids()).toEqual(others), { timeout: 60_000 });
});

test("an idle host is evicted after a while", async () => {
  const others = hostPids();
  const hosts = createEngineHosts({
    size: 1,
    resolveHost: resolveAnyHost,
    dataFolder,
    isolation: noIsolation,
    idleMs: 1,
  });
  await hosts.run({
    organizationId: "a",
    database: databaseOf("duckdb"),
    statement: { text: "SELECT 1", values: [] },
  });
  await vi.waitFor(() => expect(hostPids()).toEqual(others), { timeout: 60_000 });
  await hosts.close();
});
