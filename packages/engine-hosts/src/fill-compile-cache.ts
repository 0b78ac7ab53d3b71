// A program that loads the modules that hosts load, writes them to the compile cache, and prints its folder.
import { chmodSync, readdirSync, statSync } from "node:fs";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { allEngines } from "@querybell/engines";
import "./host-process.ts";
import { readableMode, recordFilled } from "./host-program.ts";
import "./pictures/draw-dashboard.ts";
import "./pictures/draw-picture.ts";
import "@querybell/conditions/judge-run";
import "@querybell/conditions/replay-results";
import "@querybell/engines/change-tables";
import "@querybell/engines/preview-file";
import "@querybell/summaries/compute-answer";

await Promise.all(allEngines.map((engine) => engine.loadDriver()));
// It calls functions of Linux, so it cannot be loaded elsewhere.
if (process.platform === "linux") await import("./isolation/launcher.ts");
const folder = getCompileCacheDir();
if (folder !== undefined) {
  // In an image the record cannot be written any more, and need not be.
  await recordFilled(folder).catch(() => {});
  // Last, since Node writes what is compiled later when the process ends, and nobody would make that readable.
  flushCompileCache();
  for (const file of readdirSync(folder)) makeReadable(join(folder, file));
  console.log(folder);
}

function makeReadable(file: string): void {
  try {
    // In an image the cache is filled when it is built, and cannot be changed any more.
    if ((statSync(file).mode & 0o777) !== readableMode) chmodSync(file, readableMode);
  } catch (error) {
    // Another process that fills the cache has renamed its temporary file.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
