import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = (path: string, env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL(path, import.meta.url))], { env });

const emptyFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "querybell-compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

// An api and a worker do so when they are started together.
test("several processes can fill an empty compile cache at once", async () => {
  const folder = emptyFolder();
  const fill = () => run("./fill-compile-cache.ts", { NODE_COMPILE_CACHE: folder });
  const outputs = await Promise.all(Array.from({ length: 3 }, fill));
  for (const { stdout } of outputs) expect(stdout.trim()).toContain(folder);
});

const entries = [
  // Without a parent it fails when it opens its channel, and the launcher when it reads its plan.
  { path: "./host-process.ts", failsWith: "at new Socket" },
  ...(process.platform === "linux" ? [{ path: "./isolation/launcher.ts", failsWith: "at JSON.parse" }] : []),
];

// For a single file whose types are not removed yet, Node loads what removes them: 10 MB and a quarter of a start.
test.each(entries)("all of $path is in a filled cache", async ({ path, failsWith }) => {
  const folder = emptyFolder();
  await run("./fill-compile-cache.ts", { NODE_COMPILE_CACHE: folder });
  const env = { NODE_COMPILE_CACHE: folder, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const { stderr } = await run(path, env).catch((error: { stderr: string }) => error);
  expect(stderr).toContain(failsWith);
  const read = stderr.split("\n").filter((line) => line.includes("transpile cache for StrippedTypeScript"));
  expect(read.length).toBeGreaterThan(3);
  expect(read.filter((line) => !line.endsWith("success"))).toEqual([]);
});
