// The published manifest has no development dependencies and no scripts: they name packages of this workspace, which
// nobody else has. `prepack` takes them out, `postpack` puts them back.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const whole = "package.json.whole";

if (process.argv.includes("--restore")) {
  if (existsSync(whole)) renameSync(whole, "package.json");
} else {
  // If an earlier packing was stopped half-way, the copy is still the whole manifest.
  const text = readFileSync(existsSync(whole) ? whole : "package.json", "utf8");
  writeFileSync(whole, text);
  const {
    devDependencies: _,
    scripts: { postpack },
    ...published
  } = JSON.parse(text);
  writeFileSync("package.json", `${JSON.stringify({ ...published, scripts: { postpack } }, undefined, 2)}\n`);
}
