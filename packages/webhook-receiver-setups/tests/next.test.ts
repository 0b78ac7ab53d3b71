import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { completedEvent, deliver, post, signedHeaders } from "@querybell/webhook-test-sender";
import { expect, inject, test } from "vitest";
import { describeAdapter } from "./adapter-behaviours.ts";
import { type Receiver, startReceiver } from "./start-receiver.ts";

/** A production build, which also checks the routes' types. */
async function start(secret: string): Promise<Receiver> {
  const cwd = join(inject("frameworkProject"), "next");
  const bin = createRequire(import.meta.url).resolve("next/dist/bin/next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", WEBHOOK_SECRET: secret };
  await promisify(execFile)(process.execPath, [bin, "build"], { cwd, env });
  return startReceiver([bin, "start", "--hostname", "127.0.0.1", "--port", "0"], { cwd, secret });
}

describeAdapter({ name: "next", start }, (program) => {
  test("verifies on the edge runtime too, and loads the diagnosis there", async () => {
    const { url, secret } = program();
    const event = completedEvent();
    expect(await deliver(`${url}/edge`, event, secret)).toMatchObject({ status: 200 });
    await program().waitForLine({ handled: event.id });
    const headers = signedHeaders({ secret, body: "{}" });
    expect(await post(`${url}/edge`, headers, "{}\n")).toMatchObject({ status: 400 });
    expect(await program().waitForLine({ edge: "signature_mismatch" })).toMatchObject({
      hint: expect.stringContaining("newline or white space was added"),
    });
  });
});
