// pnpm bench <name>: runs src/<name>.ts.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";

const [name = ""] = process.argv.slice(2);
const module = new URL(`src/${name}.ts`, import.meta.url);

/** Benchmarks measure the built packages, so they are built first. */
function build(): boolean {
  const steps = ["run", "build", "--filter=@querybell/bench^...", "--output-logs=errors-only"];
  const { status, stdout, stderr } = spawnSync("turbo", steps, { encoding: "utf8" });
  if (status !== 0) console.error(`${stdout}${stderr}The build failed: nothing was measured.`);
  return status === 0;
}

if (!/^[a-z-]+$/.test(name) || !existsSync(module)) {
  const names = globSync("src/*.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".ts"));
  console.error(`Usage: pnpm bench <${names.join(" | ")}>`);
  process.exitCode = 2;
} else if (build()) {
  await import(module.href);
} else {
  process.exitCode = 1;
}
