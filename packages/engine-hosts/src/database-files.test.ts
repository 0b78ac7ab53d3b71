import { mkdtempDisposable, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDatabaseFiles } from "./database-files.ts";

test("a file that replaces another is another one, also with the number of a deleted one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "querybell-files-"));
  const path = join(folder.path, "acme.shop.duckdb");
  const database = { engine: "duckdb", configuration: { file: "acme.shop.duckdb" } } as const;
  const identities = new Set<string>();
  for (let count = 0; count < 20; count++) {
    await writeFile(`${path}.next`, "");
    await rename(`${path}.next`, path);
    identities.add((await findDatabaseFiles(database, folder.path)).identity);
  }
  expect(identities.size).toBe(20);
});
