import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { workerTest } from "./testing/worker-test.ts";

const entry = fileURLToPath(new URL("main.ts", import.meta.url));

workerTest("a worker does not start on a database that lacks a migration", async ({ deps, settingsFor }) => {
  await deps.db.pool.query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_baseline'");
  const env = Object.fromEntries(Object.entries(settingsFor()).map(([name, value]) => [name, String(value)]));
  await expect(promisify(execFile)(process.execPath, [entry], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The database lacks migrations: \d+_baseline\. Run [^\n]+ first\.\n$/),
  });
});
