import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import {
  completedEvent,
  createTestSecret,
  deliver,
  now,
  post,
  signedHeaders,
} from "@querybell/webhook-test-sender";
import { describe, expect, inject, test } from "vitest";
import { kit } from "../src/kit.ts";
import { startReceiver } from "./start-receiver.ts";

const project = inject("emptyProject");
const command = join(project, "node_modules/.bin/webhook-receiver");
const secret = createTestSecret();

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Running {
  input?: string | Uint8Array;
  env?: NodeJS.ProcessEnv;
  node?: string;
}

function run(args: string[], { input = "", env = {}, node = process.execPath }: Running = {}) {
  return new Promise<Ended>((resolve) => {
    const options = { cwd: project, env: { PATH: process.env.PATH, ...env } };
    const child = execFile(node, [command, ...args], options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

const listening = () => startReceiver([command, "listen", "--port", "0"], { cwd: project });

describe("listen and send", () => {
  test("a sent sample is verified, printed and answered", async () => {
    await using listener = await listening();
    const env = { WEBHOOK_SECRET: listener.secret };
    const sent = await run(["send", "--url", listener.url, "--type", "automation.run.failed"], { env });
    expect(sent).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/answered 200 \{"code":"handled"\}/),
    });
    expect(await listener.waitForText(/^verified /)).toMatch(/signed with secret-1$/);
    expect(await listener.waitForText(/"type"/)).toContain("automation.run.failed");
  });

  test("a sample can be of any type, even one that JavaScript knows", async () => {
    await using listener = await listening();
    const env = { WEBHOOK_SECRET: listener.secret };
    const sent = await run(["send", "--url", listener.url, "--type", "constructor"], { env });
    expect(sent).toMatchObject({ status: 0, stdout: expect.stringMatching(/answered 200/) });
    expect(await listener.waitForText(/"note"/)).toContain("does not exist yet");
  });

  test("an answer cannot drive the terminal", async () => {
    await using server = createServer((_, response) => response.end("\u001b[2J\nsent")).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const url = `http://127.0.0.1:${Object(server.address()).port}/`;
    const { stdout } = await run(["send", "--url", url, "--secret", secret]);
    expect(stdout).toContain("answered 200  [2J sent\n");
  });

  test("a refused delivery is printed with its cause, and the sender told so", async () => {
    await using listener = await listening();
    const sent = await run(["send", "--url", listener.url, "--secret", secret]);
    expect(sent).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/answered 400 .*signature_mismatch/),
    });
    expect(await listener.waitForText(/^refused /)).toMatch(/signature_mismatch.*another endpoint's/);
  });

  test("control characters in an event do not reach the terminal", async () => {
    await using listener = await listening();
    const event = completedEvent();
    event.data.summary = "\u001b[2J";
    await deliver(listener.url, event, listener.secret);
    expect(await listener.waitForText(/summary/)).toContain('"\\u001b[2J"');
  });

  test("nobody at the address is said plainly", async () => {
    const sent = await run(["send", "--url", "http://127.0.0.1:1/", "--secret", secret]);
    expect(sent).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("No answer from http://127.0.0.1:1/"),
    });
  });
});

describe("explain", () => {
  const body = JSON.stringify(completedEvent("event-1"));
  const captured = (received: string | Uint8Array, timestamp = now(), more: string[] = []) => {
    const headers = Object.entries(signedHeaders({ secret, body, id: "event-1", timestamp }));
    const lines = [
      "POST /webhooks HTTP/1.1",
      "Host: localhost",
      ...more,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(received)]);
  };

  test("says that a genuine request verifies, however long ago it was captured", async () => {
    const explained = await run(["explain", "--secret", secret], { input: captured(body, 1_700_000_000) });
    expect(explained).toMatchObject({ status: 0, stdout: expect.stringMatching(/It verifies: event-1/) });
    expect(explained.stdout).toContain('"automation.run.completed"');
  });

  test("reads a file, and judges the time when told it", async () => {
    const file = join(project, "captured.http");
    await writeFile(file, captured(body, 1_700_000_000));
    const explained = await run(["explain", file, "--secret", secret, "--at", "2023-11-15T00:00:00Z"]);
    expect(explained).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^timestamp_too_old.*before --at.*genuine/s),
    });
    expect(await run(["explain", file, "--secret", secret, "--at", "1700000300"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("It verifies"),
    });
  });

  test("blames no clock of this machine for a time that was given", async () => {
    const input = captured(body, 1_700_000_000);
    const explained = await run(["explain", "--secret", secret, "--at", "1699999000"], { input });
    expect(explained).toMatchObject({ status: 1, stdout: expect.stringMatching(/^timestamp_in_future/) });
    expect(explained.stdout).toContain("1000 seconds after --at");
    expect(explained.stdout).not.toContain("this machine");
  });

  describe("with a chunked body", () => {
    const chunked = ["Transfer-Encoding: chunked"];
    const bytes = Buffer.from(body);
    const chunk = (part: Uint8Array, extension = "") =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from("\r\n")]);

    test.each([
      [
        "in chunks",
        [chunk(bytes.subarray(0, 7)), chunk(bytes.subarray(7), ";a=b"), Buffer.from("0\r\n\r\n")],
      ],
      ["with trailers", [chunk(bytes), Buffer.from("0\r\nExpires: 0\r\n\r\n")]],
      ["already put together by the tool that captured it", [bytes]],
    ])("reads one %s", async (_, parts) => {
      const input = captured(Buffer.concat(parts), now(), chunked);
      const explained = await run(["explain", "--secret", secret], { input });
      expect(explained).toMatchObject({ status: 0, stdout: expect.stringContaining("It verifies") });
    });
  });

  test("verifies a body that a receiver would need a higher limit for", async () => {
    const large = JSON.stringify({ ...completedEvent("event-1"), padding: "x".repeat(2 ** 20) });
    const headers = Object.entries(signedHeaders({ secret, body: large, id: "event-1" }));
    const input = `${headers.map((pair) => pair.join(": ")).join("\n")}\n\n${large}`;
    expect(await run(["explain", "--secret", secret], { input })).toMatchObject({ status: 0 });
  });

  test("diagnoses a body that a receiver would find too large for that", async () => {
    const large = JSON.stringify({ ...completedEvent("event-1"), padding: "x".repeat(2 ** 18) });
    const headers = Object.entries(signedHeaders({ secret, body: large, id: "event-1" }));
    const input = `${headers.map((pair) => pair.join(": ")).join("\n")}\n\n${large}\n`;
    const explained = await run(["explain", "--secret", secret], { input });
    expect(explained).toMatchObject({ status: 1, stdout: expect.stringContaining("newline or white space") });
  });

  describe("with a Content-Length", () => {
    const announced = [`Content-Length: ${Buffer.byteLength(body)}`];

    test("says that a body that was cut short is incomplete", async () => {
      const input = captured(Buffer.from(body).subarray(0, 20), now(), announced);
      const explained = await run(["explain", "--secret", secret], { input });
      expect(explained).toMatchObject({ status: 1, stdout: expect.stringMatching(/^body_incomplete/) });
      expect(explained.stdout).toContain(`20 of the ${Buffer.byteLength(body)} bytes`);
    });

    test.each(["\n", "\r\n"])("leaves out %j after the body, and says so", async (newline) => {
      const input = captured(`${body}${newline}`, now(), announced);
      const explained = await run(["explain", "--secret", secret], { input });
      expect(explained).toMatchObject({ status: 0, stdout: expect.stringMatching(/left out.*It verifies/s) });
    });

    test("leaves out nothing else", async () => {
      const input = captured(`${body}\n\n`, now(), announced);
      const explained = await run(["explain", "--secret", secret], { input });
      expect(explained).toMatchObject({ status: 1, stdout: expect.stringMatching(/^signature_mismatch/) });
    });
  });

  test("reads standard input when the file is -", async () => {
    const explained = await run(["explain", "-", "--secret", secret], { input: captured(body) });
    expect(explained).toMatchObject({ status: 0, stdout: expect.stringContaining("It verifies") });
  });

  test("runs on the oldest supported Node", async () => {
    const oldest = join(import.meta.dirname, "../node_modules/node-20/bin/node");
    const explained = await run(["explain", "--secret", secret], { input: captured(body), node: oldest });
    expect(explained).toMatchObject({ status: 0, stdout: expect.stringContaining("It verifies") });
  });

  test("names the cause of a mismatch", async () => {
    const explained = await run(["explain", "--secret", secret], { input: captured(`${body}\n`) });
    expect(explained).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/newline or white space was added/),
    });
  });

  test("says which header is missing", async () => {
    const explained = await run(["explain", "--secret", secret], { input: "Host: localhost\n\n{}" });
    expect(explained).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/svc-webhook-id is missing/),
    });
  });

  test("says when the input is no request", async () => {
    const explained = await run(["explain", "--secret", secret], { input: "{}" });
    expect(explained).toMatchObject({ status: 2, stderr: expect.stringContaining("no empty line") });
  });
});

describe("misuse", () => {
  test.each([
    [["listen"], "Pass --secret"],
    [["listen", "--secret", "whsec_short"], "malformed_secret"],
    [["send", "--secret", secret], "--url"],
    [["listen", "--secrets", secret], "--secrets"],
    [["explain", "a.http", "b.http", "--secret", secret], "one file at a time"],
    [["nonsense"], "Usage:"],
  ])("%j is told what is missing", async (args, message) => {
    expect(await run(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });

  test("--help shows the usage", async () => {
    expect(await run(["--help"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("explain [file]"),
    });
  });
});

test("listen refuses a request over plain HTTP that is no delivery, and goes on", async () => {
  await using listener = await listening();
  expect(await post(listener.url, {}, "hello")).toMatchObject({ status: 400 });
  expect(await deliver(listener.url, completedEvent(), listener.secret)).toMatchObject({ status: 200 });
});

describe("the command itself", () => {
  test.each(["listen", "send", "explain"])("%s --help explains, and does nothing", async (name) => {
    for (const flag of ["--help", "-h"]) {
      expect(await run([name, flag])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage:/) });
    }
  });

  test("tells its version", async () => {
    const { version } = JSON.parse(await readFile(join(kit, "package.json"), "utf8"));
    expect(await run(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  test("names a command that it does not know", async () => {
    const { status, stderr } = await run(["explian"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/no command "explian".*Usage:/s)]);
  });

  test.each(["", "abc", "-1", "65536", "1e3"])("--port %j is refused", async (port) => {
    const { status, stderr } = await run(["listen", `--port=${port}`, "--secret", secret]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--port must be a number from 0 to 65535")]);
  });

  test("send takes one secret", async () => {
    const { status, stderr } = await run([
      ...["send", "--url", "http://127.0.0.1:9", "--secret", secret],
      ...["--secret", createTestSecret()],
    ]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("pass --secret once")]);
  });
});
