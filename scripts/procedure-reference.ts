// Writes docs/reference/ from the schemas of the procedures, and from examples that a test has recorded. With
// --check it only says whether it is up to date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { referencePages } from "@querybell/api/api-reference";

const folder = resolve(import.meta.dirname, "../docs/reference");
mkdirSync(folder, { recursive: true });
const gone = readdirSync(folder).filter((file) => !Object.hasOwn(referencePages, file));
const outdated = Object.entries(referencePages).filter(
  ([file, text]) => !readdirSync(folder).includes(file) || readFileSync(join(folder, file), "utf8") !== text,
);

if (!process.argv.includes("--check")) {
  for (const file of gone) rmSync(join(folder, file));
  for (const [file, text] of outdated) writeFileSync(join(folder, file), text);
} else if (gone.length + outdated.length > 0) {
  const files = [...gone, ...outdated.map(([file]) => file)];
  console.error(`docs/reference is out of date (${files.join(", ")}): run pnpm docs:reference.`);
  process.exit(1);
}
