import type { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { outcomeClass } from "./outcome.ts";
import { holdDeadline } from "./testing/deadline.ts";
import { accept, type Behaviour, startReceiver } from "./testing/receiver.ts";
import { event, startSending } from "./testing/sending.ts";

async function attempt(behave: Behaviour) {
  await using receiver = await startReceiver(behave);
  await using sending = await startSending({ allowLoopback: true });
  const result = await sending.post(`http://127.0.0.1:${receiver.port}/hook?a=b`);
  return { ...result, received: receiver.requests, class: outcomeClass(result.outcome) };
}

describe("an answer", () => {
  test.each([200, 201, 202, 204, 299])("of %i is a success", async (status) => {
    const { outcome } = await attempt((response) => response.writeHead(status).end());
    expect(outcome).toEqual({ kind: "success", status });
  });

  test.each([305, 400, 404, 410, 429, 500, 503, 599])("of %i is a failure by that name", async (status) => {
    const result = await attempt((response) => response.writeHead(status).end("no"));
    expect(result.class).toBe(`status_${status}`);
    expect(Buffer.from(result.response?.body ?? []).toString()).toBe("no");
  });

  test.each([300, 301, 302, 303, 307, 308])("of %i is a redirect, and is not followed", async (status) => {
    await using elsewhere = await startReceiver(accept);
    const location = `http://127.0.0.1:${elsewhere.port}/`;
    const { outcome } = await attempt((response) => response.writeHead(status, { location }).end());
    expect(outcome).toEqual({ kind: "redirect", status, location });
    expect(elsewhere.sockets).toHaveLength(0);
  });

  test("of 304 is no redirect", async () => {
    const { class: outcome } = await attempt((response) => response.writeHead(304).end());
    expect(outcome).toBe("status_304");
  });

  test("announced by 103 is still waited for", async () => {
    const result = await attempt((response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeHead(201).end();
    });
    expect(result.outcome).toEqual({ kind: "success", status: 201 });
  });

  test.each<[string, string]>([
    ["garbage", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a status line cut short", "HTTP/1.1 200"],
    ["headers without an end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}`],
    [
      "an upgrade nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    ],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  ])("that is %s is invalid", async (_case, bytes) => {
    const result = await attempt((_response, { socket }) => socket.end(bytes));
    expect(result.class).toBe("invalid_response");
  });
});

describe("at the deadline a receiver that", () => {
  /** Lets the deadline pass once `behave` calls `reached`. */
  async function attemptUntilDeadline(behave: (response: ServerResponse, reached: () => void) => void) {
    using deadline = holdDeadline();
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = attempt((response) => behave(response, resolve));
    await promise;
    // One more complete exchange: at its end, the sender has read everything that the receiver wrote before.
    await attempt(accept);
    deadline.pass();
    return ended;
  }

  test("has not answered is a timeout", async () => {
    const { outcome, received } = await attemptUntilDeadline((_response, reached) => reached());
    expect(outcome).toEqual({ kind: "timeout", phase: "response" });
    expect(received).toHaveLength(1);
  });

  test("is dripping its headers is a timeout", async () => {
    const { outcome } = await attemptUntilDeadline(({ socket }, reached) => {
      socket?.write("HTTP/1.1 200 OK\r\n");
      drip(() => socket?.write("x: y\r\n", reached), socket);
    });
    expect(outcome).toEqual({ kind: "timeout", phase: "response" });
  });

  test("is still announcing its answer is a timeout", async () => {
    const { outcome } = await attemptUntilDeadline((response, reached) => {
      drip(() => response.writeEarlyHints({ link: "</a>; rel=preload" }, reached), response);
    });
    expect(outcome).toEqual({ kind: "timeout", phase: "response" });
  });

  test.each([
    [200, "success"],
    [500, "status_500"],
  ])("hangs after the headers of a %i is judged by that status", async (status, name) => {
    const result = await attemptUntilDeadline((response, reached) => {
      response.writeHead(status).write("begun", reached);
    });
    expect(result.class).toBe(name);
    expect(result.response).toMatchObject({ bodyBytes: 5, bodyEnd: "deadline" });
  });

  test("is dripping its body is judged by its status", async () => {
    const result = await attemptUntilDeadline((response, reached) => {
      drip(() => response.write("x", reached), response);
    });
    expect(result.class).toBe("success");
    expect(result.response?.bodyEnd).toBe("deadline");
  });

  test("is given ten seconds for all of it", async () => {
    using deadline = holdDeadline();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    let ended = false;
    const attempting = attempt(() => resolve()).finally(() => {
      ended = true;
    });
    await arrived;
    deadline.pass(9_999);
    await attempt(accept);
    expect(ended).toBe(false);
    deadline.pass(1);
    expect((await attempting).class).toBe("timeout");
  });

  test("is one of many that start together does not end in the same turn as all others", async () => {
    using deadline = holdDeadline();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    await using receiver = await startReceiver(() => receiver.requests.length === 20 && resolve());
    await using sending = await startSending({ allowLoopback: true });
    let ended = 0;
    const attempts = Array.from({ length: 20 }, async () => {
      const { outcome } = await sending.post(`http://127.0.0.1:${receiver.port}/`);
      ended += 1;
      return outcome.kind;
    });
    await arrived;
    const endedByTurn: number[] = [];
    deadline.pass();
    while (ended < attempts.length) {
      await turn();
      endedByTurn.push(ended);
    }
    expect(new Set(endedByTurn).size).toBeGreaterThanOrEqual(4);
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(["timeout"]));
  });

  function drip(write: () => void, until: EventEmitter | null): void {
    const dripping = setInterval(write, 5);
    until?.once("close", () => clearInterval(dripping));
  }
});

describe("a receiver that", () => {
  test("resets the connection is a reset", async () => {
    const result = await attempt((_response, { socket }) => socket.resetAndDestroy());
    expect(result.class).toBe("connection_reset");
    expect(result.received).toHaveLength(1);
  });

  test("closes the connection without a word is a reset", async () => {
    const result = await attempt((_response, { socket }) => socket.end());
    expect(result.class).toBe("connection_reset");
  });

  test("resets the connection in the middle of a 200's body has succeeded", async () => {
    const result = await attempt((response, { socket }) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half", () => socket.resetAndDestroy());
    });
    expect(result.class).toBe("success");
    expect(result.response?.bodyEnd).toBe("broken");
  });

  test("is not there is a refused connection", async () => {
    const receiver = await startReceiver(accept);
    await receiver[Symbol.asyncDispose]();
    await using sending = await startSending({ allowLoopback: true });
    const result = await sending.post(`http://127.0.0.1:${receiver.port}/`);
    expect(outcomeClass(result.outcome)).toBe("connection_refused");
    expect(result.address).toBe("127.0.0.1");
  });
});

describe("a body", () => {
  test("without an end is read to 64 KiB and kept to 4, and the connection is closed", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const endless: Behaviour = (response) => {
      const more = () => {
        while (response.write(Buffer.alloc(16_384, "x")));
      };
      response.on("drain", more).once("close", resolve);
      more();
    };
    const result = await attempt(endless);
    await closed;
    expect(result.class).toBe("success");
    const body = Buffer.alloc(4096, "x");
    expect(result.response).toMatchObject({ bodyEnd: "cut", bodyBytes: 65_536, body });
  });

  test("that is a gzip bomb is never inflated", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const result = await attempt((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    expect(result.class).toBe("success");
    expect(result.response).toMatchObject({ bodyBytes: bomb.length, body: bomb.subarray(0, 4096) });
  });

  test("in many pieces is kept in order", async () => {
    const pieces = Array.from({ length: 50 }, (_, index) => String(index).padStart(100, "."));
    const result = await attempt((response) => {
      for (const piece of pieces) response.write(piece);
      response.end();
    });
    expect(Buffer.from(result.response?.body ?? []).toString()).toBe(pieces.join("").slice(0, 4096));
    expect(result.response).toMatchObject({ bodyBytes: 5000, bodyEnd: "complete" });
  });
});

describe("a request", () => {
  test("carries the exact bytes and the headers of the published interface", async () => {
    await using receiver = await startReceiver(accept);
    await using sending = await startSending({ allowLoopback: true });
    const result = await sending.post(`http://127.0.0.1:${receiver.port}/hook?a=b`, {
      headers: { Authorization: "Bearer x" },
      standardWebhooks: true,
    });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hook?a=b", body: event.body });
    const signature = "2e8825fa2d3683c220a89c7e987121b24eec0235cd7d6cc8108b9f53be6fe450";
    expect(request?.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      "content-type": "application/json",
      "content-length": String(event.body.length),
      "accept-encoding": "identity",
      authorization: "Bearer x",
      "svc-webhook-id": "evt_1",
      "svc-webhook-timestamp": "1767225600",
      "svc-webhook-signature": `v1=${signature}`,
      "webhook-id": "evt_1",
      "webhook-timestamp": "1767225600",
      "webhook-signature": `v1,${Buffer.from(signature, "hex").toString("base64")}`,
    });
    expect(result.headers).toEqual(expect.arrayContaining(["svc-webhook-signature", `v1=${signature}`]));
    expect(result).toMatchObject({ address: "127.0.0.1", reusedConnection: false });
    expect(result.timings).toEqual({
      dns: expect.any(Number),
      connect: expect.any(Number),
      tls: undefined,
      firstByte: expect.any(Number),
      total: expect.any(Number),
    });
  });

  test("has a fresh timestamp and signature on each attempt, and the same id and body", async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end());
    await using sending = await startSending({ allowLoopback: true });
    const url = `http://127.0.0.1:${receiver.port}/`;
    await sending.post(url);
    sending.pass(1.5);
    await sending.post(url);
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["svc-webhook-id"]).toBe(first?.headers["svc-webhook-id"]);
    expect(second?.headers["svc-webhook-timestamp"]).toBe("1767225601");
    expect(second?.headers["svc-webhook-signature"]).not.toBe(first?.headers["svc-webhook-signature"]);
  });

  test("carries no Standard Webhooks headers unless the endpoint wants them", async () => {
    const { received } = await attempt(accept);
    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => name.startsWith("webhook-"))).toEqual([]);
  });
});
