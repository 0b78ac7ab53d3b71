import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { outcomeClass } from "./outcome.ts";
import { createAuthority, lastWeek, nextWeek } from "./testing/certificates.ts";
import { holdDeadline } from "./testing/deadline.ts";
import { accept, startListener, startReceiver } from "./testing/receiver.ts";
import { startSending } from "./testing/sending.ts";

const name = "hooks.example.com";
const trusted = createAuthority("Trusted");
const stranger = createAuthority("Stranger");

const startTrusting = () =>
  startSending({ zone: { [name]: { A: ["127.0.0.1"] } }, internet: "127.0.0.1/32", ca: trusted.ca });

describe("over TLS", () => {
  test("the certificate and SNI are for the name, and the connection goes to the checked address", async () => {
    const servernames: unknown[] = [];
    await using receiver = await startReceiver(
      (response, { socket }) => {
        servernames.push("servername" in socket && socket.servername);
        response.end();
      },
      { tls: trusted.issue([name]) },
    );
    await using sending = await startTrusting();
    const result = await sending.post(`https://${name}:${receiver.port}/`);
    expect(result.outcome).toEqual({ kind: "success", status: 200 });
    expect(result.address).toBe("127.0.0.1");
    expect(result.timings.tls).toEqual(expect.any(Number));
    expect(servernames).toEqual([name]);
    expect(sending.certificates, "when it ends is learned from the connection").toEqual([
      { host: `${name}:${receiver.port}`, expiresAt: expect.any(Date) },
    ]);
    expect(receiver.requests[0]?.headers.host).toBe(`${name}:${receiver.port}`);
  });

  test("a URL with an address needs a certificate for that address", async () => {
    await using right = await startReceiver(accept, { tls: trusted.issue(["127.0.0.1"]) });
    await using wrong = await startReceiver(accept, { tls: trusted.issue([name]) });
    await using sending = await startTrusting();
    const results = [
      await sending.post(`https://127.0.0.1:${right.port}/`),
      await sending.post(`https://127.0.0.1:${wrong.port}/`),
    ];
    expect(results.map(({ outcome }) => outcomeClass(outcome))).toEqual(["success", "tls_wrong_name"]);
  });

  test.each([
    ["of an unknown authority", stranger.issue([name]), "tls_untrusted"],
    ["that has expired", trusted.issue([name], lastWeek), "tls_expired"],
    ["that is not valid yet", trusted.issue([name], nextWeek), "tls_not_yet_valid"],
    ["for another name", trusted.issue(["other.example.com"]), "tls_wrong_name"],
    ["for the address and not the name", trusted.issue(["127.0.0.1"]), "tls_wrong_name"],
  ])("a certificate %s is refused before anything is sent", async (_case, tls, expected) => {
    await using receiver = await startReceiver(accept, { tls });
    await using sending = await startTrusting();
    const { outcome } = await sending.post(`https://${name}:${receiver.port}/`);
    expect(outcomeClass(outcome)).toBe(expected);
    expect(receiver.sockets).toHaveLength(1);
    expect(receiver.requests).toEqual([]);
  });

  test("a receiver that speaks plain HTTP is a failed handshake", async () => {
    await using receiver = await startReceiver(accept);
    await using sending = await startTrusting();
    const { outcome } = await sending.post(`https://${name}:${receiver.port}/`);
    expect(outcomeClass(outcome)).toBe("tls_handshake");
    expect(receiver.requests).toEqual([]);
  });

  test("a handshake that hangs is a timeout, and its connection is closed", async () => {
    using deadline = holdDeadline();
    const { promise: greeted, resolve } = Promise.withResolvers<Socket>();
    await using listener = await startListener((socket) => socket.once("data", () => resolve(socket)));
    await using sending = await startTrusting();
    const attempt = sending.post(`https://${name}:${listener.port}/`);
    const socket = await greeted;
    const closed = once(socket.resume(), "close");
    deadline.pass();
    expect((await attempt).outcome).toEqual({ kind: "timeout", phase: "tls" });
    await closed;
  });

  test("a handshake that is cut off is a reset", async () => {
    await using listener = await startListener((socket) =>
      socket.once("data", () => socket.resetAndDestroy()),
    );
    await using sending = await startTrusting();
    const { outcome } = await sending.post(`https://${name}:${listener.port}/`);
    expect(outcome).toEqual({ kind: "connection_reset" });
  });

  test("a kept connection carries the next request without another handshake", async () => {
    await using receiver = await startReceiver(accept, { tls: trusted.issue([name]) });
    await using sending = await startTrusting();
    const url = `https://${name}:${receiver.port}/`;
    await sending.post(url);
    const second = await sending.post(url);
    expect(second).toMatchObject({ reusedConnection: true, timings: { connect: undefined, tls: undefined } });
    expect(receiver.sockets).toHaveLength(1);
  });
});
