import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { freePort } from "@querybell/embedded-postgres";
import type { Answer } from "@querybell/guard/testing";
import { describe, expect, test } from "vitest";
import { outcomeClass } from "./outcome.ts";
import { createAuthority } from "./testing/certificates.ts";
import { holdDeadline } from "./testing/deadline.ts";
import { accept, startReceiver } from "./testing/receiver.ts";
import { startSending } from "./testing/sending.ts";

const name = "hooks.example.com";
const authority = createAuthority("Trusted");
const tls = authority.issue([name]);

/**
 * 127.0.0.2 and ::1 stand for the internet, and 127.0.0.1 for what must never be reached: a server
 * listens there on the same port and counts every connection.
 */
async function startWorld(answer: Answer) {
  const outside = await startReceiver(accept, { tls, address: "127.0.0.2", port: await freePort() });
  const inside = await startReceiver(accept, { tls, port: outside.port });
  const sending = await startSending({
    zone: { [name]: answer },
    internet: "127.0.0.2/32 127.0.0.3/32 ::1/128",
    ca: authority.ca,
  });
  return {
    outside,
    inside,
    names: sending.names,
    pass: sending.pass,
    post: async (url = `https://${name}:${outside.port}/`) => {
      const result = await sending.post(url);
      return { ...result, class: outcomeClass(result.outcome) };
    },
    async [Symbol.asyncDispose]() {
      await sending[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
      await inside[Symbol.asyncDispose]();
    },
  };
}

describe("a name whose address changes (DNS rebinding)", () => {
  test("between the check and the connection changes nothing: the checked address is connected to", async () => {
    await using world = await startWorld({ A: ["127.0.0.2"] });
    world.names.nextQuestion().then(() => world.names.set(name, { A: ["127.0.0.1"], AAAA: [] }));
    expect(await world.post()).toMatchObject({ class: "success", address: "127.0.0.2" });
    expect(world.names.questions).toHaveLength(2);
    expect(world.inside.sockets).toHaveLength(0);
  });

  test("to an inside address is refused once the answer is 30 seconds old, kept connection or not", async () => {
    await using world = await startWorld({ A: ["127.0.0.2"] });
    await world.post();
    world.names.set(name, { A: ["127.0.0.1"] });
    world.pass(29);
    expect(await world.post()).toMatchObject({ class: "success", reusedConnection: true });
    world.pass(1);
    expect(await world.post()).toMatchObject({
      class: "refused_address",
      outcome: { message: expect.stringContaining("127.0.0.1 is not") },
    });
    expect(world.outside.requests).toHaveLength(2);
    expect(world.inside.sockets).toHaveLength(0);
  });

  test("to the same address keeps its connection", async () => {
    await using world = await startWorld({ A: ["127.0.0.2"] });
    await world.post();
    world.pass(30);
    expect(await world.post()).toMatchObject({ class: "success", reusedConnection: true });
    expect(world.names.questions).toHaveLength(4);
    expect(world.outside.sockets).toHaveLength(1);
  });

  test("to another outside address moves there, and the old connection is not used again", async () => {
    await using world = await startWorld({ A: ["127.0.0.2"] });
    await using moved = await startReceiver(accept, { tls, address: "127.0.0.3", port: world.outside.port });
    await world.post();
    world.names.set(name, { A: ["127.0.0.3"] });
    world.pass(30);
    expect(await world.post()).toMatchObject({ class: "success", address: "127.0.0.3" });
    expect(world.outside.requests).toHaveLength(1);
    expect(moved.requests).toHaveLength(1);
  });
});

describe("nothing is connected to when the name's answer", () => {
  test.each<[string, Answer]>([
    ["is an inside address", { A: ["127.0.0.1"] }],
    ["mixes outside and inside", { A: ["127.0.0.2", "127.0.0.1"] }],
    ["mixes inside and outside", { A: ["127.0.0.1", "127.0.0.2"] }],
    ["hides the inside in its IPv6 half", { A: ["127.0.0.2"], AAAA: ["::ffff:127.0.0.1"] }],
    ["is a mapped inside address", { AAAA: ["::ffff:7f00:1"] }],
    ["is the unspecified address, which means this machine", { A: ["0.0.0.0"] }],
    ["is the unspecified IPv6 address", { AAAA: ["::"] }],
    ["ends a chain of aliases inside", { CNAME: ["a.example", "b.example"], A: ["127.0.0.1"] }],
    ["is a metadata service", { A: ["169.254.169.254"] }],
  ])("%s", async (_case, answer) => {
    await using world = await startWorld(answer);
    expect(await world.post()).toMatchObject({ class: "refused_address", address: undefined });
    expect([...world.inside.sockets, ...world.outside.sockets]).toEqual([]);
  });
});

test.each([
  ...[
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "%3127.0.0.1",
    "１２７.0.0.1",
  ],
  ...[
    "0",
    "0.0.0.0",
    "localhost",
    "LOCALHOST",
    "api.localhost",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[::]",
  ],
])("nothing is connected to for a URL with the host %s", async (host) => {
  await using world = await startWorld("no such name");
  expect(await world.post(`https://${host}:${world.inside.port}/`)).toMatchObject({
    class: "refused_address",
  });
  expect(world.names.questions).toEqual([]);
  expect(world.inside.sockets).toHaveLength(0);
});

test("a URL that sending no longer allows is refused without a connection", async () => {
  await using world = await startWorld({ A: ["127.0.0.2"] });
  expect(await world.post(`http://${name}:${world.outside.port}/`)).toMatchObject({ class: "refused_url" });
  expect(world.outside.sockets).toHaveLength(0);
});

describe("a name", () => {
  test.each<[string, Answer, string]>([
    ["through a chain of aliases", { CNAME: ["a.example", "b.example"], A: ["127.0.0.2"] }, "127.0.0.2"],
    ["whose first address refuses connections", { A: ["127.0.0.3"], AAAA: ["::1"] }, "::1"],
    ["with an IPv6 address only", { AAAA: ["::1"] }, "::1"],
  ])("%s is reached", async (_case, answer, address) => {
    await using world = await startWorld(answer);
    await using _six = await startReceiver(accept, { tls, address: "::1", port: world.outside.port });
    expect(await world.post()).toMatchObject({ class: "success", address });
  });

  test.each<[Answer, RegExp]>([
    ["no such name", /There is no host named/],
    [{}, /has no address/],
    ["server failure", /ESERVFAIL/],
  ])("answered with %j is a dns failure", async (answer, message) => {
    await using world = await startWorld(answer);
    const { outcome } = await world.post();
    expect(outcome).toEqual({ kind: "dns", message: expect.stringMatching(message) });
  });

  test("that is never answered is a timeout", async () => {
    using deadline = holdDeadline();
    await using world = await startWorld("silence");
    const asked = world.names.nextQuestion();
    const attempt = world.post();
    await asked;
    deadline.pass();
    expect((await attempt).outcome).toEqual({ kind: "timeout", phase: "dns" });
  });
});

describe("an address that takes no connections", () => {
  test("is a timeout while connecting", async () => {
    using deadline = holdDeadline();
    await using deaf = await startDeafListener("127.0.0.2");
    await using world = await startWorld({});
    const attempt = world.post(`https://127.0.0.2:${deaf.port}/`);
    await turn();
    deadline.pass();
    expect(await attempt).toMatchObject({
      outcome: { kind: "timeout", phase: "connect" },
      address: "127.0.0.2",
    });
  });

  test("leaves time for the name's next address", async () => {
    using _deadline = holdDeadline();
    await using deaf = await startDeafListener("127.0.0.2");
    await using world = await startWorld({ A: ["127.0.0.2"], AAAA: ["::1"] });
    await using _six = await startReceiver(accept, { tls, address: "::1", port: deaf.port });
    expect(await world.post(`https://${name}:${deaf.port}/`)).toMatchObject({
      class: "success",
      address: "::1",
    });
  });
});

/** Listens in a thread that then blocks, with its short backlog of connections already full. */
async function startDeafListener(address: string) {
  const port = await freePort();
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     const server = require("node:net").createServer().listen(workerData, () => {
       parentPort.postMessage("listening");
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true, workerData: { port, host: address, backlog: 1 } },
  );
  await once(worker, "message");
  const queued = [connect(port, address), connect(port, address)];
  await Promise.all(queued.map((socket) => once(socket, "connect")));
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      for (const socket of queued) socket.destroy();
      await worker.terminate();
    },
  };
}
