// Makes dist/esm without a compiler and without declarations, for `npm start`: its example only has to run.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

for (const file of globSync("**/*.ts", { cwd: "src", exclude: ["**/*.test.ts"] })) {
  const target = join("dist/esm", file.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(target), { recursive: true });
  const code = stripTypeScriptTypes(readFileSync(join("src", file), "utf8"));
  writeFileSync(target, code.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}
