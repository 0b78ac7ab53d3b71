import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { tryLine } from "@querybell/conditions";

const [file, second] = process.argv.slice(2);
if (file === undefined || second !== undefined) {
  console.error("Name one file: pnpm conditions:try <series.jsonl>");
  process.exit(2);
}

try {
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    if (line.trim() === "") continue;
    console.log(JSON.stringify({ line: number, ...tryLine(line) }));
  }
} catch (error) {
  const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
  console.error(`The file ${file} cannot be read: ${reason}.`);
  process.exitCode = 2;
}
