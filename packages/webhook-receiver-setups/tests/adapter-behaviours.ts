import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { completedEvent, deliver, post, signedHeaders } from "@querybell/webhook-test-sender";
import { afterAll, describe, expect, test } from "vitest";
import { type Customer, serviceTest } from "./service-test.ts";
import type { Receiver } from "./start-receiver.ts";

interface Adapter {
  name: string;
  start(secret: string): Promise<Receiver>;
  /** The field in which the program reports the error of a handler that throws before the answer. */
  errorField?: "framework" | "error";
}

/** Tests that every adapter must pass, over real HTTP. `more` adds tests for one adapter. */
export function describeAdapter(
  { name, start, errorField }: Adapter,
  more?: (program: () => Receiver) => void,
) {
  describe(`the installed ${name} adapter`, () => {
    let customer: Customer;
    let program: Receiver;
    const at = (path: string) => `${program.url}${path}`;

    serviceTest.beforeAll(async ({ newCustomer }) => {
      customer = await newCustomer();
      program = await start(customer.secret);
    });
    afterAll(() => program[Symbol.asyncDispose]());

    serviceTest("verifies a delivery from our own worker, whose log says that it arrived", async () => {
      const { eventId, states } = await customer.receiveAt(at("/webhooks"));
      expect(states).toEqual(["succeeded"]);
      await program.waitForLine({ handled: eventId });
    });

    test("hands a genuine delivery to the handler, and answers 200", async () => {
      const event = completedEvent();
      expect(await deliver(at("/webhooks"), event, program.secret)).toEqual({
        status: 200,
        body: '{"code":"handled"}',
      });
      await program.waitForLine({ handled: event.id });
    });

    test("hands over the very bytes, whatever they are", async () => {
      const body = Uint8Array.from({ length: 256 }, (_, index) => index);
      const headers = signedHeaders({ secret: program.secret, body });
      expect(await post(at("/webhooks"), headers, body)).toMatchObject({ status: 200 });
      const { body: handled } = await program.waitForLine({ handled: headers["svc-webhook-id"] });
      expect(handled).toBe(Buffer.from(body).toString("base64"));
    });

    test("verifies an empty body", async () => {
      const headers = signedHeaders({ secret: program.secret, body: "" });
      expect(await post(at("/webhooks"), headers, "")).toMatchObject({ status: 200 });
    });

    test("answers 400 with the code alone to a bad signature, and keeps the hint to itself", async () => {
      const headers = signedHeaders({ secret: program.secret, body: '{"a":1}' });
      const answered = await post(at("/webhooks"), headers, '{"a": 1}');
      expect(answered.status).toBe(400);
      expect(JSON.parse(answered.body)).toEqual({
        code: "signature_mismatch",
        message: "The signature does not match.",
      });
      expect(await program.waitForLine({ refused: "signature_mismatch" })).toMatchObject({
        hint: expect.stringContaining("parsed and serialized again"),
      });
    });

    test("answers 400 to a request that is no delivery", async () => {
      const answered = await post(at("/webhooks"), { "content-type": "text/plain" }, "hello");
      expect(answered).toMatchObject({ status: 400, body: expect.stringContaining("missing_header") });
    });

    test("answers 413 with our code to a body over the limit, and tells of it", async () => {
      const body = "x".repeat(10_001);
      const headers = signedHeaders({ secret: program.secret, body });
      expect(await post(at("/webhooks"), headers, body)).toMatchObject({
        status: 413,
        body: expect.stringContaining("body_too_large"),
      });
      await program.waitForLine({ refused: "body_too_large" });
    });

    test("does not mind what the body's type is said to be", async () => {
      for (const type of ["nonsense", "application/json; charset=klingon", "text/csv"]) {
        const headers = { ...signedHeaders({ secret: program.secret, body: "{}" }), "content-type": type };
        expect(await post(at("/webhooks"), headers, "{}")).toMatchObject({ status: 200 });
      }
    });

    test("answers 400 to an id or a timestamp that is there twice", async () => {
      for (const name of ["svc-webhook-id", "svc-webhook-timestamp"] as const) {
        const headers = signedHeaders({ secret: program.secret, body: "{}" });
        const twice = { ...headers, [name]: [headers[name], headers[name]] };
        expect(await post(at("/webhooks"), twice, "{}")).toMatchObject({
          status: 400,
          body: expect.stringContaining("duplicate_header"),
        });
      }
    });

    test("handles a duplicate once", async () => {
      const event = completedEvent();
      await deliver(at("/webhooks"), event, program.secret);
      expect(await deliver(at("/webhooks"), event, program.secret)).toEqual({
        status: 200,
        body: '{"code":"duplicate"}',
      });
      const next = completedEvent();
      await deliver(at("/webhooks"), next, program.secret);
      await program.waitForLine({ handled: next.id });
      expect(program.timesHandled(event.id)).toBe(1);
    });

    test("a handler that throws is answered with 500, is heard of, and handles the retry", async () => {
      const event = completedEvent(`fail-${randomUUID()}`);
      expect(await deliver(at("/webhooks"), event, program.secret)).toMatchObject({ status: 500 });
      if (errorField) await program.waitForLine({ [errorField]: "Error: The disk is full." });
      expect(await deliver(at("/webhooks"), event, program.secret)).toMatchObject({ status: 200 });
      await program.waitForLine({ handled: event.id });
    });

    test.each(["undefined", "null", "zero", "empty", "route", "router", "object"])(
      "a handler that throws what is no error is answered with 500 as well: %s",
      async (thrown) => {
        const event = completedEvent(`throw-${thrown}-${randomUUID()}`);
        expect(await deliver(at("/webhooks"), event, program.secret)).toMatchObject({ status: 500 });
      },
    );

    test("a handler's own error is never answered as a refusal, whatever it is called", async () => {
      const event = completedEvent(`impostor-${randomUUID()}`);
      const answered = await deliver(at("/webhooks"), event, program.secret);
      expect(answered.status).toBe(500);
      expect(answered.body).not.toContain("hunter2");
    });

    test("a handler that cannot read the event has failed, and the request is not refused", async () => {
      const headers = signedHeaders({ secret: program.secret, body: "{}", id: `read-${randomUUID()}` });
      expect(await post(at("/webhooks"), headers, "{}")).toMatchObject({ status: 500 });
      if (errorField)
        await program.waitForLine({
          [errorField]: "WebhookError: The body is not the event of svc-webhook-id.",
        });
    });

    test("listeners that fail cost neither the answer nor the program", async () => {
      expect(await post(at("/failing"), {}, "hello")).toMatchObject({ status: 400 });
      await program.waitForLine({ failing: "missing_header" });
      const event = completedEvent(`fail-${randomUUID()}`);
      expect(await deliver(at("/failing"), event, program.secret)).toMatchObject({ status: 202 });
      await program.waitForLine({ failing: "Error: The disk is full." });
      const next = completedEvent();
      expect(await deliver(at("/webhooks"), next, program.secret)).toMatchObject({ status: 200 });
    });

    test("an event whose sender leaves while it is being claimed is handled", async () => {
      const event = completedEvent();
      const body = JSON.stringify(event);
      const headers = signedHeaders({ secret: program.secret, body, id: event.id });
      const outgoing = request(at("/disconnected"), { method: "POST", headers });
      outgoing.on("error", () => {}).end(body);
      await program.waitForLine({ claiming: event.id });
      outgoing.destroy();
      await program.waitForLine({ handled: event.id });
    });

    test("answers before the handler if asked to, and tells of its failure", async () => {
      const event = completedEvent();
      const failing = completedEvent(`fail-${randomUUID()}`);
      const again = { status: 409, body: '{"code":"in_progress"}' };
      expect(await deliver(at("/later"), event, program.secret)).toEqual({
        status: 202,
        body: '{"code":"accepted"}',
      });
      expect(await deliver(at("/later"), failing, program.secret)).toMatchObject({ status: 202 });
      expect(await deliver(at("/later"), event, program.secret)).toEqual(again);
      await post(at("/release"), {}, "");
      await program.waitForLine({ handled: event.id });
      await program.waitForLine({ error: "Error: The disk is full." });
    });

    test("leaves the other routes as they were", async () => {
      const answered = await post(at("/echo"), { "content-type": "application/json" }, '{"a":[1]}');
      expect(answered).toEqual({ status: 200, body: '{"a":[1]}' });
    });

    more?.(() => program);
  });
}
