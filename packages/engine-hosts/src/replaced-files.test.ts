import { mkdtempDisposable, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { findDatabaseFiles } from "./database-files.ts";
import { createEngineHosts, type TaskOptions } from "./index.ts";
import { landlock } from "./isolation/methods.ts";
import { endless } from "./testing/endless-statements.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

async function writeDatabase(path: string, content: string): Promise<void> {
  const instance = await DuckDBInstance.create(`${path}.next`);
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE t AS SELECT '${content}' AS content`);
  connection.closeSync();
  instance.closeSync();
  await rename(`${path}.next`, path);
}

test("a file that is replaced, and replaced again, before a host opens it is read by another host, in the same run", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "querybell-files-"));
  const path = join(folder.path, "shop.duckdb");
  await writeDatabase(path, "before");
  // With it, a host may open no file but the one that was there when it was started.
  const options = { size: 1, resolveHost: resolveAnyHost, dataFolder: folder.path, isolation: landlock };
  const hosts = createEngineHosts(options);
  try {
    const database = { engine: "duckdb", configuration: { file: "shop.duckdb" } } as const;
    const run = (text: string, runOptions: TaskOptions = {}) =>
      hosts.run({ organizationId: "one", database, statement: { text, values: [] } }, runOptions);
    const hold = () => {
      const { promise: hasStarted, resolve } = Promise.withResolvers<void>();
      const abort = new AbortController();
      const outcome = run(endless.duckdb, { signal: abort.signal, onProgress: () => resolve() });
      const end = async () => {
        abort.abort();
        expect(await outcome).toMatchObject({ kind: "failed", failure: { code: "cancelled" } });
      };
      return { hasStarted, end };
    };
    const first = hold();
    await first.hasStarted;
    // It has looked at the file, and waits for the only host, which is of that file.
    const waiting = run("SELECT content FROM t");
    await findDatabaseFiles(database, folder.path);
    await writeDatabase(path, "between");
    const second = hold();
    await findDatabaseFiles(database, folder.path);
    await first.end();
    // It has looked again, and waits for the host of the second file.
    await second.hasStarted;
    await writeDatabase(path, "after");
    await second.end();
    const outcome = await waiting;
    if (outcome.kind === "failed") expect.unreachable(outcome.failure.message);
    expect(gunzipSync(Buffer.concat(outcome.gzippedPieces)).toString()).toContain('[["after"]]');
  } finally {
    await hosts.close();
  }
});
