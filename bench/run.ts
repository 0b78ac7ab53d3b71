// pnpm bench: runs every benchmark and prints one table. pnpm bench <name>: runs src/<name>.ts.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";
import { runAll } from "./src/suite/run-all.ts";

const args = process.argv.slice(2);
const [name = ""] = args;
const isSuite = args.length === 0 || name.startsWith("--");
const module = new URL(`src/${name}.ts`, import.meta.url);

/** Benchmarks measure the built packages, so they are built first. */
function build(): boolean {
  const steps = ["run", "build", "--filter=@querybell/bench^...", "--output-logs=errors-only"];
  const { status, stdout, stderr } = spawnSync("turbo", steps, { encoding: "utf8" });
  if (status !== 0) console.error(`${stdout}${stderr}The build failed: nothing was measured.`);
  return status === 0;
}

if (!isSuite && (!/^[a-z-]+$/.test(name) || !existsSync(module))) {
  const names = globSync("src/*.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".ts"));
  console.error(`Usage: pnpm bench [--write] [--only a,b], or pnpm bench <${names.join(" | ")}>`);
  process.exitCode = 2;
} else if (!build()) {
  process.exitCode = 1;
} else if (isSuite) {
  await runAll(args);
} else {
  await import(module.href);
}
