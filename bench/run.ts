// pnpm bench <name>: runs src/<name>.ts.
import { execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";

const [name = ""] = process.argv.slice(2);
const module = new URL(`src/${name}.ts`, import.meta.url);

if (/^[a-z-]+$/.test(name) && existsSync(module)) {
  // What is measured is what is published, so it is built first.
  execFileSync("turbo", ["run", "build", "--filter=@querybell/bench^...", "--output-logs=errors-only"]);
  await import(module.href);
} else {
  const names = globSync("src/*.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".ts"));
  console.error(`Usage: pnpm bench <${names.join(" | ")}>`);
  process.exitCode = 2;
}
