import { once } from "node:events";
import { request } from "node:http";
import { completedEvent, deliver, post, signedHeaders } from "@querybell/webhook-test-sender";
import { expect, inject, test } from "vitest";
import { describeAdapter } from "./adapter-behaviours.ts";
import { type Receiver, startReceiver } from "./start-receiver.ts";

const script = (name: string) => (secret: string) =>
  startReceiver([`${name}.ts`], { cwd: inject("frameworkProject"), secret });

function refusesSignatureTwice(program: () => Receiver) {
  test("answers 400 to a signature that is there twice", async () => {
    const { url, secret } = program();
    const headers = signedHeaders({ secret, body: "{}" });
    const signature = headers["svc-webhook-signature"];
    const twice = { ...headers, "svc-webhook-signature": [signature, signature] };
    expect(await post(`${url}/webhooks`, twice, "{}")).toMatchObject({
      status: 400,
      body: expect.stringContaining("duplicate_header"),
    });
  });
}

describeAdapter(
  { name: "fastify", start: script("fastify"), errorField: "framework" },
  refusesSignatureTwice,
);

describeAdapter({ name: "node", start: script("node"), errorField: "error" }, (program) => {
  refusesSignatureTwice(program);

  test("leaves an answer alone that somebody else has given meanwhile", async () => {
    const event = completedEvent();
    const answered = await deliver(`${program().url}/timed-out`, event, program().secret);
    expect(answered).toEqual({ status: 503, body: "" });
    await program().waitForLine({ handled: event.id });
    const next = await deliver(`${program().url}/webhooks`, completedEvent(), program().secret);
    expect(next).toMatchObject({ status: 200 });
  });

  test("says so when the connection closes in the middle of the body", async () => {
    const { url, secret } = program();
    const outgoing = request(`${url}/webhooks`, {
      method: "POST",
      headers: { ...signedHeaders({ secret, body: "whole" }), "content-length": "5" },
    });
    outgoing.on("error", () => {});
    outgoing.write("who", () => outgoing.destroy());
    await program().waitForLine({ refused: "body_incomplete" });
  });
});

describeAdapter({ name: "express", start: script("express"), errorField: "framework" }, (program) => {
  refusesSignatureTwice(program);

  test("verifies behind a parser that leaves the bytes", async () => {
    const answered = await deliver(`${program().url}/raw`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 200 });
  });

  test.each(["/kept/webhooks", "/Kept/Webhooks/?a=b"])(
    "keepRawBody keeps a parser away from %s",
    async (path) => {
      const { url, secret } = program();
      expect(await deliver(url + path, completedEvent(), secret)).toMatchObject({ status: 200 });
      const body = "x".repeat(10_001);
      expect(await post(url + path, signedHeaders({ secret, body }), body)).toMatchObject({
        status: 413,
        body: expect.stringContaining("body_too_large"),
      });
    },
  );

  test("keepRawBody keeps a parser away when the target is a whole address, as proxies send it", async () => {
    const { url, secret } = program();
    const body = JSON.stringify(completedEvent());
    const sent = request(url, {
      method: "POST",
      path: `${url}/kept/webhooks?a=b`,
      headers: signedHeaders({ secret, body }),
    }).end(body);
    const [response] = await once(sent, "response");
    expect(response.resume().statusCode).toBe(200);
  });

  test("keepRawBody leaves other routes to the parser", async () => {
    const json = { "content-type": "application/json" };
    const { url } = program();
    expect(await post(`${url}/kept/echo`, json, "[1]")).toEqual({ status: 200, body: "[1]" });
    expect(await post(`${url}/kept/echo`, json, "[1, 2, 3, 4]")).toMatchObject({ status: 500 });
  });

  test("says so too when there was nothing for the parser to read", async () => {
    const headers = signedHeaders({ secret: program().secret, body: "" });
    const answered = await post(`${program().url}/parsed`, { ...headers, "content-length": "0" }, "");
    expect(answered).toMatchObject({ status: 500, body: expect.stringContaining("body_not_raw") });
  });

  test("says so when a parser has used up the body", async () => {
    const answered = await deliver(`${program().url}/parsed`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 500, body: expect.stringContaining("body_not_raw") });
    expect(await program().waitForLine({ refused: "body_not_raw" })).toMatchObject({
      hint: expect.stringMatching(/before parsers.*keepRawBody/),
    });
  });
});

describeAdapter({ name: "hono", start: script("hono"), errorField: "framework" }, (program) => {
  test("verifies behind a middleware that has read the body", async () => {
    const answered = await deliver(`${program().url}/read/webhooks`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 200 });
  });

  test("says so when a middleware has used up the body", async () => {
    const answered = await deliver(`${program().url}/used/webhooks`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 500, body: expect.stringContaining("body_not_raw") });
    expect(await program().waitForLine({ refused: "body_not_raw" })).toMatchObject({
      hint: expect.stringContaining("context.req, which keeps it"),
    });
  });
});
