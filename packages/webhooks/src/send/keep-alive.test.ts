import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { accept, type Behaviour, startReceiver } from "./testing/receiver.ts";
import { startSending } from "./testing/sending.ts";

async function startWorld(behave: Behaviour, options: { maxIdleConnections?: number } = {}) {
  const receiver = await startReceiver(behave);
  const sending = await startSending({ allowLoopback: true, ...options });
  return {
    receiver,
    post: () => sending.post(`http://127.0.0.1:${receiver.port}/`),
    close: sending.close,
    async [Symbol.asyncDispose]() {
      await sending[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

describe("a connection", () => {
  test("is kept for the next request after any answer that was read to its end", async () => {
    let status = 200;
    await using world = await startWorld((response) => response.writeHead(status).end("x"));
    await world.post();
    status = 500;
    await world.post();
    status = 301;
    expect(await world.post()).toMatchObject({ reusedConnection: true, timings: { dns: undefined } });
    expect(world.receiver.sockets).toHaveLength(1);
  });

  test("carries one request at a time", async () => {
    await using world = await startWorld(accept);
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(Array.from({ length: 8 }, world.post));
      expect(results.every(({ outcome }) => outcome.kind === "success")).toBe(true);
    }
    expect(world.receiver.requests).toHaveLength(40);
    expect(world.receiver.sockets).toHaveLength(8);
  });

  test("that the receiver says it will close is not used again", async () => {
    await using world = await startWorld((response) =>
      response.writeHead(200, { connection: "close" }).end(),
    );
    await world.post();
    expect(await world.post()).toMatchObject({ outcome: { kind: "success" }, reusedConnection: false });
    expect(world.receiver.sockets).toHaveLength(2);
  });

  test("whose answer was cut is not used again", async () => {
    await using world = await startWorld((response) => response.end(Buffer.alloc(200_000)));
    await world.post();
    expect(await world.post()).toMatchObject({ outcome: { kind: "success" }, reusedConnection: false });
  });

  test("that the receiver drops as the next request comes is replaced by a new one, not by another kept one", async () => {
    const seen = new WeakSet<Socket>();
    await using world = await startWorld((response, { socket }) => {
      if (seen.has(socket)) socket.destroy();
      else response.end();
      seen.add(socket);
    });
    await Promise.all([world.post(), world.post()]);
    expect(await world.post()).toMatchObject({ outcome: { kind: "success" }, reusedConnection: false });
    expect(world.receiver.sockets).toHaveLength(3);
    expect(world.receiver.requests).toHaveLength(4);
  });

  test("that is new and dropped is a reset, and is not replaced", async () => {
    let answered = false;
    await using world = await startWorld((response, { socket }) => {
      if (answered) socket.destroy();
      else response.end();
      answered = true;
    });
    await world.post();
    expect(await world.post()).toMatchObject({ outcome: { kind: "connection_reset" } });
    expect(world.receiver.sockets).toHaveLength(2);
  });

  test("that was dropped while idle is not used again", async () => {
    await using world = await startWorld(accept);
    await world.post();
    const [kept] = world.receiver.sockets;
    kept?.destroy();
    if (kept) await once(kept, "close");
    expect(await world.post()).toMatchObject({ outcome: { kind: "success" }, reusedConnection: false });
  });

  test("is closed with the sender", async () => {
    await using world = await startWorld(accept);
    await world.post();
    const [kept] = world.receiver.sockets;
    const closed = kept && once(kept, "close");
    world.close();
    await closed;
    expect(kept?.destroyed).toBe(true);
  });

  test("in use when the sender closes finishes its request, and is not kept", async () => {
    let hold = true;
    const { promise: arrived, resolve } = Promise.withResolvers<ServerResponse>();
    await using world = await startWorld((response) => {
      if (hold) resolve(response);
      else response.end();
    });
    const attempt = world.post();
    const response = await arrived;
    world.close();
    hold = false;
    response.end();
    expect((await attempt).outcome.kind).toBe("success");
    expect(await world.post()).toMatchObject({ outcome: { kind: "success" }, reusedConnection: false });
  });

  test("beyond the number that may idle is not kept", async () => {
    await using world = await startWorld(accept, { maxIdleConnections: 2 });
    await Promise.all(Array.from({ length: 5 }, world.post));
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(Array.from({ length: 5 }, world.post));
      expect(results.filter(({ reusedConnection }) => reusedConnection)).toHaveLength(2);
    }
  });
});
