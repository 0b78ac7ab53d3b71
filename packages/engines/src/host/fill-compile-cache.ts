// A program that loads the modules that hosts load, writes them to the compile cache, and prints its folder.
import { chmodSync, readdirSync } from "node:fs";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import "./isolation/landlock-rules.ts";
import "./isolation/linux.ts";
import "./isolation/owner-mapping.ts";
import "./isolation/private-root.ts";
import "./isolation/seccomp-filter.ts";
import "./messages.ts";
import "./perform-task.ts";
import "../duckdb/connect-duckdb.ts";
import "../postgres/connect-postgres.ts";
import "../trino/connect-trino.ts";
import "../uploads/change-tables.ts";
import "../uploads/preview-upload.ts";

flushCompileCache();
const folder = getCompileCacheDir();
if (folder !== undefined) {
  // Node writes files that only their owner can read, and some hosts have a user of their own.
  for (const file of readdirSync(folder)) makeReadable(join(folder, file));
  console.log(folder);
}

function makeReadable(file: string): void {
  try {
    chmodSync(file, 0o644);
  } catch (error) {
    // Another process that fills the cache has renamed its temporary file.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
