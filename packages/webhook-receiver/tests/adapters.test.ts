import { request } from "node:http";
import { expect, inject, test } from "vitest";
import { describeAdapter } from "./adapter-behaviours.ts";
import { ReceivingProgram } from "./receiving-program.ts";
import { completedEvent, deliver, signedHeaders } from "./sender.ts";

const script = (name: string) => (secret: string) =>
  ReceivingProgram.start([`${name}.ts`], { cwd: inject("frameworkProject"), secret });

describeAdapter({ name: "fastify", start: script("fastify"), hears: "framework" });

describeAdapter({ name: "node", start: script("node"), hears: "error" }, (program) => {
  test("says so when the connection closes in the middle of the body", async () => {
    const { url, secret } = program();
    const outgoing = request(`${url}/webhooks`, {
      method: "POST",
      headers: { ...signedHeaders({ secret, body: "whole" }), "content-length": "5" },
    });
    outgoing.on("error", () => {});
    outgoing.write("who", () => outgoing.destroy());
    await program().says({ refused: "body_incomplete" });
  });
});

describeAdapter({ name: "express", start: script("express"), hears: "framework" }, (program) => {
  test.each(["/kept", "/raw"])("verifies behind a parser that keeps the bytes, at %s", async (path) => {
    const answered = await deliver(program().url + path, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 200 });
  });

  test("says so when a parser has used up the body", async () => {
    const answered = await deliver(`${program().url}/parsed`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 500, body: expect.stringContaining("body_not_raw") });
    await program().says({ refused: "body_not_raw" });
  });
});

describeAdapter({ name: "hono", start: script("hono"), hears: "framework" }, (program) => {
  test("verifies behind a middleware that has read the body", async () => {
    const answered = await deliver(`${program().url}/read/webhooks`, completedEvent(), program().secret);
    expect(answered).toMatchObject({ status: 200 });
  });
});
