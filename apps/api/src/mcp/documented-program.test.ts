import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createRunningClock } from "@querybell/core/testing";
import { createDeliveryTools } from "@querybell/webhooks/testing";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { apiTest } from "../testing/api-test.ts";

const page = await readFile(new URL("../../../../docs/agents.md", import.meta.url), "utf8");
const Kept = z.object({ seen: z.array(z.string()), cursor: z.string() });

const test = apiTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  // The program compares times with that of the machine.
  .extend("clock", { scope: "file" }, ({ databaseUrl }) => createRunningClock(databaseUrl));

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("the program of docs/agents.md subscribes, takes events, and gets what it missed while it was away", async ({
  api,
  deps,
  make,
  makeKey,
}) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  await deps.db.prisma.organization.update({
    where: { id: organizationId },
    data: { webhooksEnabled: true },
  });
  const { id: automationId } = await make.automation(owner);
  const { key } = await makeKey(owner);
  const hooks = createDeliveryTools(deps);
  const pump = await hooks.pump();

  const [, program = ""] = /```js\n([\s\S]+?)```/.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "querybell-program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "subscriber.mjs"), program);
  const start = async () => {
    const env = { ...process.env, MCP_URL: `${api.url}/mcp`, QUERYBELL_API_KEY: key, PORT: "0" };
    const child = spawn(process.execPath, ["subscriber.mjs"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => kill(child));
    // What it has missed may arrive before the answer to its subscription.
    const { promise: subscribed, resolve } = Promise.withResolvers<void>();
    createInterface(child.stdout).on("line", (line) => {
      if (/^Subscribed until 20\d\d-/.test(line)) resolve();
    });
    await subscribed;
    return child;
  };
  const kept = async () => Kept.parse(JSON.parse(await readFile(join(folder, "subscriber.json"), "utf8")));

  const child = await start();
  const first = await hooks.emit({ organizationId, automationId });
  await pump.drain();
  expect((await kept()).seen).toEqual([first]);
  await kill(child);
  const second = await hooks.emit({ organizationId, automationId });
  await start();
  await pump.drain();
  expect((await kept()).seen).toEqual([first, second]);

  const { url } = await deps.db.prisma.webhookEndpoint.findFirstOrThrow({
    where: { organizationId },
    orderBy: { id: "desc" },
  });
  const forged = await fetch(url, { method: "POST", body: '{"type":"verification","challenge":"x"}' });
  expect([forged.status, await forged.text()]).toEqual([401, ""]);
});
