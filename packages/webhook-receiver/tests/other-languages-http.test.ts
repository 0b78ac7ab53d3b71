import { execFileSync, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");
const key = randomBytes(32);

/** A request with a right signature of its body. */
function request(
  body: string,
  { framing, content = body }: { framing: string; content?: string },
  again = "",
): string {
  const timestamp = Math.floor(Date.now() / 1000);
  const digest = createHmac("sha256", key).update(`evt-1.${timestamp}.${body}`).digest("hex");
  return [
    "POST / HTTP/1.1",
    "host: localhost",
    "connection: close",
    framing,
    "svc-webhook-id: evt-1",
    `svc-webhook-timestamp: ${timestamp}`,
    `svc-webhook-signature: v1=${digest}`,
    ...(again ? [`${again}: v1=${digest}`] : []),
    "",
    content,
  ].join("\r\n");
}

const sized = (body: string, length = String(Buffer.byteLength(body))) => ({
  framing: `content-length: ${length}`,
});

/** The body in two chunks, the first with an extension. */
function chunked(body: string) {
  const [first, second] = [body.slice(0, 5), body.slice(5)];
  const chunk = (text: string, extension = "") =>
    `${Buffer.byteLength(text).toString(16).toUpperCase()}${extension}\r\n${text}\r\n`;
  const content = `${chunk(first, ";name=value")}${chunk(second)}0\r\n\r\n`;
  return { framing: "transfer-encoding: chunked", content };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

interface Program {
  fence: string;
  file: string;
  version: [program: string, ...args: string[]];
  start: (port: number) => [program: string, ...args: string[]];
}

const programs: Program[] = [
  {
    fence: "python",
    file: "receiver.py",
    version: ["python3", "--version"],
    start: () => ["python3", "receiver.py"],
  },
  {
    fence: "ruby",
    file: "receiver.rb",
    version: ["ruby", "--version"],
    start: () => ["ruby", "receiver.rb"],
  },
  {
    fence: "php",
    file: "receiver.php",
    version: ["php", "--version"],
    start: (port) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"],
  },
  { fence: "go", file: "receiver.go", version: ["go", "version"], start: () => ["go", "run", "receiver.go"] },
  {
    fence: "java",
    file: "Receiver.java",
    version: ["javac", "--version"],
    start: () => ["java", "Receiver.java"],
  },
];

/** Starts the receiver of docs/webhooks.md. Answers a function that sends it a request and answers the status. */
async function startReceiver({ fence, file, version, start }: Program, skip: (note: string) => void) {
  try {
    execFileSync(version[0], version.slice(1), { stdio: "ignore" });
  } catch {
    skip(`${version[0]} is not installed.`);
  }
  const folder = mkdtempSync(join(tmpdir(), "querybell-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [, code = ""] = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, "ms").exec(docs) ?? [];
  const port = await freePort();
  writeFileSync(join(folder, file), code.replaceAll("8080", String(port)));
  const env = { ...process.env, GOTOOLCHAIN: "local", WEBHOOK_SECRETS: `whsec_${key.toString("base64")}` };
  const [program, ...args] = start(port);
  // A separate group: `go run` starts the program that it has built.
  const child = spawn(program, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const stop = () => void (child.pid && child.exitCode === null && process.kill(-child.pid, "SIGKILL"));
  onTestFinished(stop);
  const errors = text(child.stderr);
  const send = async (content: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(content);
    return Number((await text(socket)).split(" ")[1]);
  };
  const body = '{"id":"evt-1"}';
  await vi.waitFor(async () => expect(await send(request(body, sized(body)))).toBe(204), 300_000);
  return { send, stop, errors };
}

describe.each(programs)("the receiver in $fence", (program) => {
  test("takes bodies with a length, empty ones and chunked ones", async ({ skip }) => {
    const { send } = await startReceiver(program, skip);
    expect(await send(request("", sized("")))).toBe(204);
    const body = '{"id":"evt-1","name":"Zürich"}';
    expect(await send(request(body, chunked(body)))).toBe(204);
    expect(await send(request(`${body} `, chunked(body))), "signed for another body").toBe(400);
  });

  test("refuses a header that is there twice", async ({ skip }) => {
    const { send } = await startReceiver(program, skip);
    const body = '{"id":"evt-1"}';
    expect(await send(request(body, sized(body), "svc-webhook-signature"))).toBe(400);
    expect(await send(request(body, sized(body), "Svc-Webhook-Signature"))).toBe(400);
    expect(await send(request(body, sized(body), "svc-webhook-id"))).toBe(400);
  });
});

// Go and Java read the length in their standard library, and PHP in its server.
test.for(programs.filter(({ fence }) => fence === "python" || fence === "ruby"))(
  "the receiver in $fence answers 400 to a wrong length and to broken chunks",
  async (program, { skip }) => {
    const { send, stop, errors } = await startReceiver(program, skip);
    for (const length of ["abc", "-5", "9".repeat(30)])
      expect(await send(request("", sized("", length)))).toBe(400);
    for (const content of ["x\r\n", "-1\r\n", "fffffffff\r\n"]) {
      expect(await send(request("", { ...chunked(""), content }))).toBe(400);
    }
    stop();
    expect(await errors).not.toMatch(/Traceback|Error/);
  },
);
