import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { DatabaseLimits } from "@querybell/domain";
import { databaseOf, dataFolder } from "@querybell/engines/testing/real-databases";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { EngineHost } from "./engine-host.ts";
import { createEngineHosts, type HostExit, type RunRequest } from "./index.ts";
import type { NewTask } from "./messages.ts";
import { connectToServer } from "./server-attempt.ts";
import { hostPids, isAlive } from "./testing/host-processes.ts";
import { startingInstead } from "./testing/hostile-isolation.ts";
import { hostileActs, keepConnections } from "./testing/hostile-sender.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const options = { size: 1, resolveHost: resolveAnyHost, dataFolder };
const sender = fileURLToPath(new URL("./testing/hostile-sender.ts", import.meta.url));
const neighbours = createEngineHosts(options);
afterAll(() => neighbours.close());

const request: RunRequest = {
  organizationId: "one",
  database: databaseOf("duckdb"),
  statement: { text: "SELECT 1", values: [] },
};

test.each(hostileActs)("a host that sends %s is killed, and nothing else is disturbed", async (act) => {
  const exits: HostExit[] = [];
  const hosts = createEngineHosts({
    ...options,
    isolation: startingInstead({ program: process.execPath, args: [sender, act] }),
    onUnexpectedExit: (exit) => exits.push(exit),
  });
  onTestFinished(() => hosts.close());
  const [hostile, neighbour] = await Promise.all([hosts.run(request), neighbours.run(request)]);
  expect(hostile).toMatchObject({ kind: "failed", failure: { code: "engine_crashed" } });
  expect(neighbour).toMatchObject({ kind: "completed", rowCount: 1 });
  await vi.waitFor(() => expect(exits.length).toBeGreaterThan(0), { timeout: 60_000 });
  for (const { pid = 0 } of exits) expect(isAlive(pid)).toBe(false);
  expect(await neighbours.run(request)).toMatchObject({ kind: "completed" });
});

test("a host that never reads gets no more input than fits between the processes", async () => {
  const hosts = createEngineHosts({
    ...options,
    graceMs: 1,
    isolation: startingInstead({ program: "/bin/sleep", args: ["3600"] }),
  });
  onTestFinished(() => hosts.close());
  let pieces = 0;
  const leaving = new AbortController();
  const result = {
    cut: false,
    async *read() {
      for (;;) {
        pieces++;
        yield new Uint8Array(1024 ** 2);
      }
    },
  };
  const computing = hosts.compute(
    { organizationId: "one", operation: { name: "preview" }, results: [result] },
    { signal: leaving.signal },
  );
  expect(await neighbours.run(request)).toMatchObject({ kind: "completed" });
  leaving.abort();
  expect(await computing).toMatchObject({ failure: { code: "cancelled" } });
  expect(pieces).toBe(1);
  expect(hostPids()).toHaveLength(1);
});

test("a host that keeps every connection that it asks for is killed", async () => {
  const connected: Socket[] = [];
  const server = createServer((socket) => connected.push(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of connected) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const isolation = startingInstead({ program: process.execPath, args: [sender, keepConnections] });
  const host = new EngineHost({ isolation, databaseFiles: [], graceMs: 60_000 });
  const task: NewTask = {
    kind: "check",
    organizationId: "one",
    limits: DatabaseLimits.parse({}),
    readableFiles: [],
    unreadableFiles: [],
    unreachablePid: 0,
  };
  const openSocket = () => connectToServer(["127.0.0.1"], port);
  const { answer } = await host.sendTask({ task, openSocket });
  expect(answer).toMatchObject({ kind: "failed", failure: { code: "engine_crashed" } });
  expect(connected.length).toBeLessThan(20);
});
