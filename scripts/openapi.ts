// Writes docs/openapi.json from the table of published routes. With --check it only says whether it is up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { openApiDocument } from "@querybell/api/openapi";

const file = resolve(import.meta.dirname, "../docs/openapi.json");
const text = `${JSON.stringify(openApiDocument, null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
  console.error("docs/openapi.json is out of date: run pnpm docs:openapi.");
  process.exit(1);
}
