import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { kit } from "../src/kit.ts";

const run = promisify(execFile);
const project = inject("emptyProject");
const tools = join(import.meta.dirname, "../node_modules");

// Compiled for the oldest runtime, with everything bundled except the kit.
beforeAll(async () => {
  await build({
    entryPoints: [join(kit, "tests/run-behaviours.ts")],
    outfile: join(project, "behaviours.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@querybell/webhook-receiver"],
  });
});

const runtimes: [name: string, command: string, args: string[], build: string][] = [
  ["Node 20", join(tools, "node-20/bin/node"), [], "node"],
  ["Node 22", join(tools, "node-22/bin/node"), [], "node"],
  ["Node 24", join(tools, "node/bin/node"), [], "node"],
  ["Node, told to be an edge runtime", join(tools, "node/bin/node"), ["--conditions=edge-light"], "web"],
  ["Node, told to be a worker", join(tools, "node/bin/node"), ["--conditions=workerd"], "web"],
  ["Deno", join(tools, ".bin/deno"), ["run", "--no-remote", "--allow-all"], "web"],
  ["Bun", join(tools, ".bin/bun"), ["run"], "web"],
];

describe.each(runtimes)("the installed kit on %s", (_, command, args, expected) => {
  test(`uses its ${expected} build, and behaves`, async () => {
    const env = { ...process.env, DENO_DIR: join(project, ".deno"), DENO_NO_UPDATE_CHECK: "1" };
    const { stdout } = await run(command, [...args, "behaviours.mjs"], { cwd: project, env });
    expect(JSON.parse(stdout)).toEqual({ build: expected, ran: expect.any(Number), failures: [] });
  });
});

const versions = ["node-20", "node-22", "node"];

describe.each(versions)("in an empty project on %s", (version) => {
  const node = join(tools, version, "bin/node");
  const source = (load: (path: string) => string) => `
    const { createReceiver } = ${load("")};
    const { createSecret, createFakeSender } = ${load("/testing")};
    const { memoryDedupe } = ${load("/memory")};
    const { webhook } = ${load("/next")};
    const paths = [${["/express", "/fastify", "/hono", "/node", "/postgres", "/vectors.json"].map(load).join(", ")}];
    async function main() {
      const secret = createSecret();
      const receiver = createReceiver({ secrets: secret, dedupe: memoryDedupe() });
      const refused = [];
      const target = webhook(receiver, () => {}, { onRefused: (error) => refused.push(error.hint) });
      const sender = createFakeSender({ target, secret });
      const answers = [await sender.send(), await sender.sendTampered(), await sender.sendStale()];
      console.log(JSON.stringify([paths.length, ...answers.map(({ status }) => status), refused.length]));
    }
    main();`;

  test.each([
    [
      "ESM",
      "module",
      (path: string) => `await import("@querybell/webhook-receiver${path}"${attributes(path)})`,
    ],
    ["CommonJS", "commonjs", (path: string) => `require("@querybell/webhook-receiver${path}")`],
  ])("%s loads every path, and the diagnosis on demand", async (format, type, load) => {
    const folder = join(project, `${format}-${version}`);
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
    await writeFile(join(folder, "main.js"), source(load));
    const { stdout } = await run(node, ["main.js"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([6, 200, 400, 400, 2]);
  });
});

const attributes = (path: string) => (path.endsWith(".json") ? ', { with: { type: "json" } }' : "");

test("a program that mixes ESM and CommonJS still has its refusals answered as such", async () => {
  const main = `
    import { createRequire } from "node:module";
    import { WebhookError } from "@querybell/webhook-receiver";
    import { webhook } from "@querybell/webhook-receiver/next";
    const { createReceiver } = createRequire(import.meta.url)("@querybell/webhook-receiver");
    const receiver = createReceiver({ secrets: "whsec_${"A".repeat(43)}=" });
    const error = await receiver.verify({ headers: {}, body: "" }).catch((reason) => reason);
    const { status } = await webhook(receiver, () => {}, { onRefused: () => {} })(new Request("http://localhost/"));
    console.log(JSON.stringify([error instanceof WebhookError, Object.assign(new Error(), { name: "WebhookError" }) instanceof WebhookError, status]));`;
  await writeFile(join(project, "mixed.mjs"), main);
  const { stdout } = await run(process.execPath, ["mixed.mjs"], { cwd: project });
  expect(JSON.parse(stdout)).toEqual([true, false, 400]);
});
