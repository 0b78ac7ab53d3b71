import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngineHosts } from "../../index.ts";
import { noIsolation } from "../../isolation/methods.ts";
import { resolveAnyHost } from "../../testing/resolve-any-host.ts";

/** A program for tests: imports a file of several MiB into a database in the folder, and prints what came of it. */
const [folder = "", fileFolder = ""] = process.argv.slice(2);
const path = join(fileFolder, "numbers.csv");
const rows = Array.from({ length: 400_000 }, (_, index) => `${index},${Math.sin(index)}`).join("\n");
writeFileSync(path, `id,value\n${rows}\n`);
const hosts = createEngineHosts({
  size: 1,
  resolveHost: resolveAnyHost,
  dataFolder: folder,
  isolation: noIsolation,
});
const outcome = await hosts.changeTables({
  organizationId: "one",
  workspace: folder,
  fileName: "uploads.duckdb",
  maxFileBytes: 1024 ** 3,
  change: {
    kind: "import",
    mode: "create",
    table: "numbers",
    file: { path, format: "csv", maxUnpackedBytes: 1024 ** 2 },
    key: [],
    reading: {},
    types: {},
  },
});
console.log(JSON.stringify(outcome));
await hosts.close();
