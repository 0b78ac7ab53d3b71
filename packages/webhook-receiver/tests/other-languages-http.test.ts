import { execFileSync, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");
const key = randomBytes(32);

/** A request with a right signature of its body, and this length. */
function request(body: string, length: string): string {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", key).update(`evt-1.${timestamp}.${body}`).digest("hex");
  return [
    "POST / HTTP/1.1",
    "host: localhost",
    `content-length: ${length}`,
    "svc-webhook-id: evt-1",
    `svc-webhook-timestamp: ${timestamp}`,
    `svc-webhook-signature: v1=${signature}`,
    "",
    body,
  ].join("\r\n");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

// Go and Java read the length in their standard library, and PHP in its server.
test.for([
  ["python3", "python"],
  ["ruby", "ruby"],
])(
  "the receiver for %s answers requests with a wrong length or an empty body",
  async ([program = "", fence], { skip }) => {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" });
    } catch {
      skip(`${program} is not installed.`);
    }
    const folder = mkdtempSync(join(tmpdir(), "querybell-receiver-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [, code = ""] = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, "ms").exec(docs) ?? [];
    const port = await freePort();
    writeFileSync(join(folder, "receiver"), code.replace("8080", String(port)));
    const env = { ...process.env, WEBHOOK_SECRETS: `whsec_${key.toString("base64")}` };
    const child = spawn(program, ["receiver"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const errors = text(child.stderr);
    const send = async (content: string) => {
      const socket = connect(port, "127.0.0.1").end(content);
      return Number((await text(socket)).split(" ")[1]);
    };
    const body = '{"id":"evt-1"}';
    await vi.waitFor(async () => expect(await send(request(body, String(body.length)))).toBe(204), 20_000);
    expect(await send(request("", "0"))).toBe(204);
    for (const length of ["abc", "-5", "9".repeat(30)]) expect(await send(request("", length))).toBe(400);
    child.kill("SIGKILL");
    expect(await errors).not.toMatch(/Traceback|Error/);
  },
);
