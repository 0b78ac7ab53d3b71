import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const filler = fileURLToPath(new URL("./fill-compile-cache.ts", import.meta.url));

// An api and a worker do so when they are started together.
test("several processes can fill an empty compile cache at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "querybell-compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fill = () => promisify(execFile)(process.execPath, [filler], { env: { NODE_COMPILE_CACHE: folder } });
  const outputs = await Promise.all(Array.from({ length: 3 }, fill));
  for (const { stdout } of outputs) expect(stdout.trim()).toContain(folder);
});
