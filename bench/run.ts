// pnpm bench <name>: runs src/<name>.ts.
import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";

const [name = ""] = process.argv.slice(2);
const module = new URL(`src/${name}.ts`, import.meta.url);

if (/^[a-z-]+$/.test(name) && existsSync(module)) {
  await import(module.href);
} else {
  const names = globSync("src/*.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".ts"));
  console.error(`Usage: pnpm bench <${names.join(" | ")}>`);
  process.exitCode = 2;
}
