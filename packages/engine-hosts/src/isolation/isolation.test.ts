import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { exitSql } from "@querybell/engines/testing/native-call";
import {
  databaseOf,
  dataFolder,
  describeEngines,
  runInDuckdb,
} from "@querybell/engines/testing/real-databases";
import koffi from "koffi";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { encodeFrame } from "../channel/channel.ts";
import { fillCompileCache, filledCompileCache } from "../host-program.ts";
import { createEngineHosts, type EngineHosts } from "../index.ts";
import { usedBytes } from "../memory-limit.ts";
import { findHostPid } from "../proc-files.ts";
import { killHost, spawnHost } from "../spawn-host.ts";
import { hostPids, isAlive, nicenessOf } from "../testing/host-processes.ts";
import { firstMessage, readMessages } from "../testing/messages-of-host.ts";
import { resolveAnyHost } from "../testing/resolve-any-host.ts";
import { createUploadWorkspace, importOf } from "../uploads/testing/upload-workspace.ts";
import { workspaceBytes } from "../workspace-size.ts";
import { tryIsolation } from "./find-isolation.ts";
import type { Isolation } from "./isolation.ts";
import { bubblewrap, landlock, noIsolation } from "./methods.ts";

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// At import, so that no test's time limit covers the download of Debian's package if it is not installed.
const bwrapPath = execFileSync(process.execPath, [script("../../../../scripts/ensure-bubblewrap.ts")]);
const methods = [bubblewrap(bwrapPath.toString().trim()), landlock];

const database = join(dataFolder, "test.duckdb");
const secretFiles = ["sealing-keys", "other.duckdb"].map((name) => join(dataFolder, name));
const unixSocket = join(dataFolder, "socket");
const abstractSocket = `querybell-${process.pid}`;
const server = createServer();
const localServers = [createServer(), createServer()];

beforeAll(async () => {
  process.env.HOSTILE_TEST_SECRET = "1";
  for (const file of secretFiles) writeFileSync(file, "secret", { mode: 0o600 });
  // Readable by its owner only, like the product's own files.
  chmodSync(database, 0o600);
  server.listen(0, "127.0.0.1");
  localServers[0]?.listen(unixSocket);
  localServers[1]?.listen(`\0${abstractSocket}`);
  await Promise.all([server, ...localServers].map((each) => once(each, "listening")));
});
afterAll(() => {
  for (const each of [server, ...localServers]) each.close();
});

const Outcome = z.object({ possible: z.array(z.string()), tried: z.int(), seen: z.int() });

async function runHostile(
  isolation: Isolation,
  { skipped = [], workspace }: { skipped?: string[]; workspace?: string } = {},
): Promise<z.infer<typeof Outcome>> {
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
  const node = [process.execPath, script("./testing/hostile-host.ts"), JSON.stringify(target)];
  const { child, messages } = spawnHost(isolation, { databaseFiles: [database], workspace, node });
  let errorText = "";
  child.stderr?.on("data", (data) => {
    errorText += data;
  });
  try {
    return Outcome.parse(await firstMessage(messages));
  } catch (cause) {
    throw new Error(`The host ended: ${errorText}`, { cause });
  } finally {
    killHost(child);
  }
}

/** Asks the hoarding host to fill something, and returns how many bytes it filled at least. */
function fillerOf(messages: Duplex): (what: string) => Promise<number> {
  const answers = readMessages(messages);
  return async (what) => {
    messages.write(encodeFrame(JSON.stringify(what)));
    return z.number().parse((await answers.next()).value);
  };
}

/** Opens a descriptor that children inherit, as the service can have got one from the program that started it. */
function leakDescriptor(descriptor: number): Disposable {
  const opened = openSync("/dev/zero", "r");
  koffi.load(null).func("int dup2(int from, int to)")(opened, descriptor);
  closeSync(opened);
  return { [Symbol.dispose]: () => closeSync(descriptor) };
}

/** The descriptors of a process, except what it has opened itself: its database, and what Node needs for its work. */
function inheritedBy(pid: number): number[] {
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).map((name) => ({ name, target: readlinkSync(join(folder, name)) }));
  const isOwn = (descriptor: number, target: string) =>
    target.startsWith("anon_inode:") ||
    target === database ||
    // Node's own, beside those that it was started with.
    (target === "/dev/null" && descriptor > 4) ||
    // Both ends of a pipe.
    (target.startsWith("pipe:") && open.filter((other) => other.target === target).length === 2);
  return open
    .filter(({ name, target }) => !isOwn(Number(name), target))
    .map(({ name }) => Number(name))
    .toSorted((a, b) => a - b);
}

test("without isolation, most of the attempts of hostile native code succeed, so they are real", async () => {
  const { possible, tried } = await runHostile(noIsolation, {
    skipped: [
      "write the database",
      "write into /tmp",
      "write into its own folder",
      "truncate a file",
      "become another user",
      "mount something",
      "share memory",
      "write into /dev/shm",
      "make semaphores",
      "make a message queue",
      "make a message queue with a name",
      "keep a key",
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
      "keep memory in a file without a name",
      "map memory that stays when it is dropped",
      "map a file that others see",
      "put pages into a pipe",
      "put pages of a file into a pipe",
      "send a file into a pipe",
      "duplicate the pages of a pipe",
      "enlarge a pipe",
      "open a terminal",
      "map /dev/zero",
      "add a filter",
      "make a timer",
      "have descriptors that only one thread sees",
      "lock a file for a descriptor",
      "open a thousand files",
      ...secretFiles.map((file) => `read ${file}`),
    ]),
  );
  expect(possible.length).toBeGreaterThan(tried / 2);
});

describe.each(methods.map((method) => [method.name, method] as const))(
  "a host isolated by %s",
  (_, isolation) => {
    const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, isolation });
    afterAll(() => hosts.close());
    const organizationId = "one";

    test("passes the check of its isolation", async () => {
      expect(await tryIsolation(isolation, dataFolder)).toBeUndefined();
    });

    test("gives hostile native code access to no process, file or socket, no new rights, and no store that is not counted", async () => {
      const { possible, seen } = await runHostile(isolation);
      expect(possible).toEqual([]);
      expect(seen).toBeGreaterThan(0);
    });

    test("counts all memory that hostile native code can fill, and limits what its pipes hold", async () => {
      const node = [process.execPath, script("./testing/hoarding-host.ts")];
      const { child, messages } = spawnHost(isolation, { databaseFiles: [], node });
      const filled = fillerOf(messages);
      expect(await filled("nothing")).toBe(0);
      const pid = findHostPid(child.pid ?? 0);
      for (const what of ["memory", "page tables", "threads"]) {
        const before = usedBytes(pid) ?? 0;
        const bytes = await filled(what);
        expect(bytes, what).toBeGreaterThan(0);
        expect((usedBytes(pid) ?? 0) - before, what).toBeGreaterThan(bytes * 0.9);
      }
      expect(await filled("pipes")).toBeLessThan(8 * 1024 ** 2);
      killHost(child);
    });

    test("counts what hostile native code stores in its workspace, where no name leads to it", async () => {
      const workspace = mkdtempSync(join(tmpdir(), "querybell-workspace-"));
      onTestFinished(() => rmSync(workspace, { recursive: true }));
      const node = [process.execPath, script("./testing/hoarding-host.ts"), workspace];
      const { child, messages } = spawnHost(isolation, { databaseFiles: [], workspace, node });
      const filled = fillerOf(messages);
      expect(await filled("nothing")).toBe(0);
      const stored = () => workspaceBytes({ folder: workspace, pid: () => findHostPid(child.pid ?? 0) });
      expect(stored()).toBeLessThan(1024 ** 2);
      const bytes = await filled("a deleted file");
      expect(stored()).toBeGreaterThanOrEqual(bytes);
      killHost(child);
    });

    test("gives it one folder to write to, if it has a workspace, and nothing else", async () => {
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

    test("reads the compile cache that its parent filled, and cannot change it", async () => {
      await fillCompileCache();
      const compileCache = filledCompileCache();
      const node = [process.execPath, script("./testing/cache-reader.ts")];
      const { child, messages } = spawnHost(isolation, { databaseFiles: [], node, compileCache });
      const Report = z.object({ files: z.int(), bytes: z.int().min(100_000), isWritable: z.boolean() });
      const { files, isWritable } = Report.parse(await firstMessage(messages));
      killHost(child);
      expect(files).toBe(readdirSync(compileCache ?? "").length);
      expect(isWritable).toBe(false);
    });

    test("imports an uploaded file into a database in its workspace", async () => {
      using space = createUploadWorkspace(hosts);
      const file = space.file("id,name\n1,a\n");
      expect(await space.change(importOf(file))).toMatchObject({ kind: "changed" });
      expect(await space.change(importOf(file, { mode: "replace" }))).toMatchObject({ kind: "changed" });
      expect(await space.read("FROM sales")).toEqual([["1", "a"]]);
    });

    test("runs native code that hostile SQL contains, if no validation refuses it, and only this host ends", async () => {
      const node = [
        process.execPath,
        createRequire(import.meta.url).resolve("@querybell/engines/testing/run-unvalidated"),
        database,
        await exitSql(42),
      ];
      const { child } = spawnHost(isolation, { databaseFiles: [database], node });
      const [code] = await once(child, "close");
      expect(code).toBe(42);
    });

    test("inherits its standard descriptors and its two channels, and nothing else", async () => {
      using _ = leakDescriptor(251);
      const single = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, isolation });
      onTestFinished(() => single.close());
      const others = hostPids();
      for (const engine of ["duckdb", "postgres"] as const) {
        const statement = { text: "SELECT 1", values: [] };
        await single.run({ organizationId, database: databaseOf(engine), statement });
      }
      const started = hostPids().filter((pid) => !others.includes(pid));
      expect(started).toHaveLength(2);
      const inherited = () => started.map((pid) => inheritedBy(findHostPid(pid)));
      const needed = [0, 1, 2, 3, 4];
      // A connection to a server is closed after its run has been answered.
      await vi.waitFor(() => expect(inherited()).toEqual([needed, needed]), { timeout: 60_000 });
    });

    describeEngines("with a connection that its parent made, on", (engine) => {
      test("runs a query", async () => {
        const statement = { text: "SELECT 1 AS a", values: [] };
        const run = await hosts.run({ organizationId, database: databaseOf(engine), statement });
        expect(run).toMatchObject({ kind: "completed", rowCount: 1 });
      });
    });

    test("is replaced when its database file is replaced", async () => {
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

    test("is limited by its own memory, not by that of its launcher", async () => {
      await hosts.run({
        organizationId,
        database: databaseOf("duckdb"),
        statement: { text: "SELECT 1", values: [] },
      });
      const memory = hostPids().map((pid) => usedBytes(findHostPid(pid)) ?? 0);
      expect(Math.min(...memory)).toBeGreaterThan(30 * 1024 ** 2);
      const big = { text: "SELECT repeat('x', 150000000)", values: [] };
      const limits = { memoryBytes: 64 * 1024 ** 2 };
      expect(
        await hosts.run({ organizationId, database: databaseOf("postgres"), statement: big, limits }),
      ).toMatchObject({ failure: { code: "out_of_memory" } });
    });

    test("gets a lower CPU priority once it has computed for a while", async () => {
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

    test("ends together with the programs that launched it", async () => {
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
  },
);

test("a method that is not installed does not work, with a reason", async () => {
  expect(await tryIsolation(bubblewrap("/nowhere/bwrap"), dataFolder)).toMatch(
    /could not be started.*not found/,
  );
  expect(await tryIsolation(noIsolation, dataFolder)).toMatch(/were possible: reading \/etc\/passwd/);
  const withoutFiles: Isolation = {
    ...landlock,
    command: (program) => landlock.command({ ...program, databaseFiles: [] }),
  };
  expect(await tryIsolation(withoutFiles, dataFolder)).toBe(`A host could not read a file in ${dataFolder}.`);
});

describe("organizations never share hosts, and an idle one", () => {
  const options = { size: 1, resolveHost: resolveAnyHost, dataFolder, isolation: landlock };

  async function runInTurn(hosts: EngineHosts): Promise<{ started: Set<number>; running: () => number[] }> {
    const others = hostPids();
    const running = () => hostPids().filter((pid) => !others.includes(pid));
    const started = new Set<number>();
    for (const organizationId of ["a", "b", "c", "a"]) {
      const statement = { text: "SELECT 1", values: [] };
      await hosts.run({ organizationId, database: databaseOf("duckdb"), statement });
      for (const pid of running()) started.add(pid);
    }
    return { started, running };
  }

  test("is evicted for another organization when idle hosts take too much memory", async () => {
    const hosts = createEngineHosts({ ...options, idleBytes: 0 });
    const { started, running } = await runInTurn(hosts);
    expect(started.size).toBe(4);
    await vi.waitFor(() => expect(running().length).toBe(2), { timeout: 60_000 });
    await hosts.close();
  });

  test("is kept otherwise", async () => {
    const hosts = createEngineHosts({ ...options, idleBytes: 1024 ** 3 });
    const { started, running } = await runInTurn(hosts);
    expect(started.size).toBe(3);
    expect(running().length).toBe(3);
    await hosts.close();
  });
});

test("a host that sees no files computes from results too, for the same organization", async () => {
  const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, isolation: landlock });
  const statement = { text: "SELECT 1 AS one", values: [] };
  const runAndCompute = async (engine: "postgres" | "duckdb", pauseMs = 0): Promise<number> => {
    const organizationId = randomUUID();
    const others = hostPids();
    const ran = await hosts.run({ organizationId, database: databaseOf(engine), statement });
    if (ran.kind !== "completed") throw new Error("The run failed.");
    const result = {
      cut: false,
      async *read() {
        yield* ran.gzippedPieces;
      },
    };
    await setTimeout(pauseMs);
    const computed = await hosts.compute({
      organizationId,
      operation: { name: "preview" },
      results: [result],
    });
    expect(computed).toMatchObject({ answer: { preview: { rows: [[1]] } } });
    return hostPids().filter((pid) => !others.includes(pid)).length;
  };
  // A host is idle a moment after its answer.
  let pauseMs = 0;
  await vi.waitFor(
    async () => {
      pauseMs += 50;
      expect(await runAndCompute("postgres", pauseMs)).toBe(1);
    },
    { timeout: 60_000 },
  );
  expect(await runAndCompute("duckdb", pauseMs), "the one with a file is not used").toBe(2);
  await hosts.close();
});

test("the first task of an organization on a server gets the spare host", async () => {
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
  // A host that was started for it would have answered by now.
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
