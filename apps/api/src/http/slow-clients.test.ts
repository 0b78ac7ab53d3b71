import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { execute } from "@querybell/core/testing";
import { describe, expect, vi } from "vitest";
import { type Api, apiTest, startApi } from "../testing/api-test.ts";

const open = async ({ url }: Pick<Api, "url">) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
};

describe("a client that keeps a connection to itself", () => {
  apiTest("and never sends the rest of its request is refused", async ({ deps }) => {
    await using api = await startApi({
      deps,
      timeouts: { requestMs: 200, uploadMs: 60_000, idleMs: 60_000 },
    });
    const socket = await open(api);
    socket.write(
      "POST /api/trpc/queries.run HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  apiTest(
    "and does not read its result costs a few pieces of it, and is cut off",
    async ({ api, deps, make, makeKey }) => {
      await using slow = await startApi({
        deps,
        timeouts: { requestMs: 60_000, uploadMs: 60_000, idleMs: 1000 },
      });
      const owner = await make.owner();
      const { key } = await makeKey(owner);
      const { id } = await make.query(owner, "SELECT 1");
      const run = await api.withKey(key).queries.run.mutate({ id });
      await execute(deps, run.id);
      // 48 MiB: more than the system keeps for a connection.
      await deps.db.pool.query(
        "UPDATE query_results SET gzipped_json = decode(repeat(md5('x'), 3 * 1024 * 1024), 'hex') WHERE run_id = $1",
        [run.id],
      );
      const queries = vi.spyOn(deps.db.pool, "query");
      const socket = await open(slow);
      socket.pause();
      socket.write(
        `GET /api/runs/${run.id}/result HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\nauthorization: Bearer ${key}\r\n\r\n`,
      );
      const pieces = () =>
        queries.mock.calls.filter(([query]) => JSON.stringify(query).includes("read_bytes_of")).length;
      await vi.waitFor(() => expect(pieces()).toBeGreaterThan(0), { timeout: 60_000 });
      await vi.waitFor(async () => expect(await slow.openConnections()).toBe(0), { timeout: 60_000 });
      // A server that kept reading for a client that is gone would read all 48 pieces.
      const { pool } = deps.db;
      await vi.waitFor(() => expect(pool.idleCount).toBe(pool.totalCount), { timeout: 60_000 });
      expect(pieces()).toBeLessThan(20);
      queries.mockRestore();
      socket.destroy();
    },
  );
});

apiTest("a client may use its connection again until after the time that it was told", async ({ deps }) => {
  await using api = await startApi({ deps });
  const connected = api.nextConnection();
  const client = await open(api);
  const socket = await connected;
  client.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
  const [answer] = await once(client, "data");
  const [, seconds] = /^keep-alive: timeout=(\d+)\r$/im.exec(String(answer)) ?? [];
  expect(Number(seconds)).toBeGreaterThan(0);
  await vi.waitFor(() => expect(socket.timeout).toBe((Number(seconds) + 10) * 1000));
  client.destroy();
});

apiTest.for([
  ["upload", "/api/uploads?name=a.csv"],
  ["body", "/api/queries/refs"],
] as const)(
  "a client whose %s is refused may use its connection again, which keeps nothing of the refusal",
  async ([_, path], { deps, make, makeKey }) => {
    const uploads = { ...deps.deployment.uploads, maxFileBytes: 1000 };
    await using api = await startApi({ deps: { ...deps, deployment: { ...deps.deployment, uploads } } });
    const { key } = await makeKey(await make.owner());
    const connected = api.nextConnection();
    const client = await open(api);
    const socket = await connected;
    const listeners = socket.listenerCount("close");
    const answered = async (status: string) => {
      for await (const data of client.iterator({ destroyOnReturn: false }))
        if (String(data).startsWith(`HTTP/1.1 ${status}`)) return;
      expect.unreachable("The connection was closed.");
    };
    client.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    // More than is read before the refusal.
    const bytes = 3_000_000;
    client.write(`${bytes.toString(16)}\r\n${"a".repeat(bytes)}\r\n0\r\n\r\n`);
    await answered("413");
    client.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    await answered("200");
    await expect.poll(() => socket.listenerCount("close")).toBe(listeners);
    client.destroy();
  },
);

describe("a request with an absolute target, as clients send to proxies,", () => {
  apiTest.for([
    ["http://querybell.example/api/key?token=a-secret", "/api/key"],
    ["http://querybell.example/api/trpc/me.get?token=a-secret", "/api/trpc/me.get"],
    ["http://querybell.example/api/auth/get-session?token=a-secret", "/api/auth/get-session"],
    ["HTTPS://querybell.example:4000/healthz?token=a-secret", "/healthz"],
    ["http://querybell.example?token=a-secret", "/"],
    ["ftp://querybell.example?token=a-secret", "/"],
  ] as const)("%s is answered like %s", async ([target, path], { api, logLines }) => {
    expect(await statusOf(api, target)).toBe(await statusOf(api, path));
    expect(logLines.join("")).not.toContain("a-secret");
  });

  apiTest("that is no URL is refused", async ({ api, logLines }) => {
    expect(await statusOf(api, "http://[::1/?token=a-secret")).toBe("400");
    expect(logLines.join("")).not.toContain("a-secret");
  });
});

/** The status of the answer to a GET of this request target. */
async function statusOf(api: Parameters<typeof open>[0], target: string): Promise<string | undefined> {
  const socket = await open(api);
  socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return /^HTTP\/1\.1 (\d{3}) /.exec(await text(socket))?.[1];
}
