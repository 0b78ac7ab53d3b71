// pnpm bench: runs every bench of the catalogue one after the other, and prints one table. With --write it brings the
// figures and charts of docs/performance.md up to date. `--only a,b` runs some of them, and writes nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Bench, benches } from "./catalogue.ts";
import { type Outcome, readFigures, toRows } from "./outcome.ts";
import { writePerformancePage } from "./performance-page.ts";

const entry = fileURLToPath(new URL("../../run.ts", import.meta.url));

/** Runs a bench in a new process, and passes on what it prints. */
async function measure(bench: Bench): Promise<Outcome> {
  console.log(`\n# ${bench.name}`);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [entry, bench.name, ...(bench.flags ?? [])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    process.stdout.write(chunk);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const [status] = await exit;
  return { bench, measured: status === 0 ? readFigures(bench.name, output) : undefined, seconds };
}

function printTable(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

export async function runAll(args: string[]): Promise<void> {
  const { values: flags } = parseArgs({
    args,
    options: { write: { type: "boolean", default: false }, only: { type: "string" } },
  });
  if (flags.write && flags.only !== undefined) {
    console.error("--write needs every figure: leave --only away.");
    process.exitCode = 2;
    return;
  }
  const wanted = flags.only?.split(",");
  const unknown = wanted?.filter((name) => !benches.some((bench) => bench.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(
      `There is no bench ${unknown.join(", ")}. There are ${benches.map(({ name }) => name).join(", ")}.`,
    );
    process.exitCode = 2;
    return;
  }
  const outcomes: Outcome[] = [];
  for (const bench of benches) {
    if (wanted === undefined || wanted.includes(bench.name)) outcomes.push(await measure(bench));
  }
  console.log("");
  const rows = toRows(outcomes);
  printTable([["figure", "meaning", "measured", "aim", ""], ...rows]);
  const minutes = outcomes.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const count = (verdict: string) => rows.filter((row) => row.at(-1) === verdict).length;
  const failed = outcomes.filter(({ measured }) => measured === undefined).map(({ bench }) => bench.name);
  if (failed.length > 0) {
    const unwritten = flags.write ? " Nothing was written." : "";
    console.error(`These failed, see their output above: ${failed.join(", ")}.${unwritten}`);
    process.exitCode = 1;
  } else if (flags.write) {
    await writePerformancePage(outcomes);
  }
  console.log(
    `bench aims_met=${count("met")} not_met=${count("not met")} not_measured=${count("not measured")} minutes=${minutes.toFixed(0)}`,
  );
}
