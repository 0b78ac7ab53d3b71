import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { workerTest } from "./testing/worker-test.ts";

const entry = fileURLToPath(new URL("main.ts", import.meta.url));

/** Starts a process of the worker. Resolves when it has ended. */
const start = (settings: object) => {
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  return promisify(execFile)(process.execPath, [entry], { env });
};

workerTest(
  "a worker does not start with another key of the same id, with which it would seal what others cannot open",
  async ({ make, settingsFor }) => {
    await make.query(await make.owner(), "SELECT 1", { engine: "postgres" });
    const settings = settingsFor();
    const [id = ""] = settings.SEALING_KEYS.split(":");
    const otherKey = `${id}:${Buffer.alloc(32, 7).toString("base64")}`;
    await expect(start({ ...settings, SEALING_KEYS: otherKey })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `The key ${id} in SEALING_KEYS opens nothing of what the key ${id} has`,
      ),
    });
  },
);

workerTest("a worker does not start on a database that lacks a migration", async ({ deps, settingsFor }) => {
  await deps.db.pool.query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_baseline'");
  await expect(start(settingsFor())).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The database lacks migrations: \d+_baseline\. Run [^\n]+ first\.\n$/),
  });
});
