// Compiles src twice: into dist/esm, and into dist/cjs with a package.json that makes it, and its types, CommonJS.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

// This package's own compiler or, where its tools are not installed, the workspace's.
const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
rmSync("dist", { recursive: true, force: true });
for (const format of ["esm", "cjs"])
  execFileSync(process.execPath, [compiler, "-p", `tsconfig.${format}.json`], { stdio: "inherit" });
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');

// The compiler rewrites .ts to .js in the code that it emits, but not in the declarations.
for (const file of globSync("dist/**/*.d.ts")) {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.[^"]*)\.ts";/g, '$1.js";'));
}
