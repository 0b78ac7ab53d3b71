// Compares two compressed results as an engine host does, and prints how long it took and how much memory the process had.
import { readFile } from "node:fs/promises";
import { compareResults } from "@querybell/summaries/compare-results";

const [before = "", after = "", rowCount = "", ...jsonBytes] = process.argv.slice(2);
const began = performance.now();
const inputs = [await readFile(before), await readFile(after)];
const rows = Number(rowCount);
const outcome = await compareResults(
  inputs,
  { key: null, rowCounts: [rows, rows], jsonBytes: jsonBytes.map(Number), writesFile: true },
  async () => {},
);
const seconds = (performance.now() - began) / 1000;
if (outcome.kind !== "compared") throw new Error(outcome.reason);
const { added, removed, changed, unchanged } = outcome.comparison;
const mebibytes = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ seconds, mebibytes, added, removed, changed, unchanged }));
