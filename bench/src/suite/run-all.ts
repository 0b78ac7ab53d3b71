// pnpm bench: runs every bench of the catalogue one after the other, and prints one table. With --write it brings the
// figures and charts of docs/performance.md up to date. `--only a,b` runs some of them, and writes nothing. What each has
// measured is kept in .data/bench: `--resume` runs only those that have nothing there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type Bench, benches } from "./catalogue.ts";
import { type Outcome, readFigures, toRows } from "./outcome.ts";
import { writePerformancePage } from "./performance-page.ts";

const entry = fileURLToPath(new URL("../../run.ts", import.meta.url));

const keptOutcomes = new URL("../../../.data/bench/", import.meta.url);
const KeptOutcome = z.object({ measured: z.record(z.string(), z.number()), seconds: z.number() });

const fileOf = ({ name }: Bench) => new URL(`${name}.json`, keptOutcomes);

/** A figure that was not measured is not kept. */
async function keep({ bench, measured, seconds }: Outcome): Promise<void> {
  if (!measured) return;
  const numbers = [...measured].filter(([, value]) => !Number.isNaN(value));
  await mkdir(keptOutcomes, { recursive: true });
  await writeFile(fileOf(bench), JSON.stringify({ measured: Object.fromEntries(numbers), seconds }));
}

async function readKept(bench: Bench): Promise<Outcome | undefined> {
  const text = await readFile(fileOf(bench), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { measured, seconds } = KeptOutcome.parse(JSON.parse(text));
  return { bench, measured: new Map(Object.entries(measured)), seconds };
}

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
  const outcome = { bench, measured: status === 0 ? readFigures(bench.name, output) : undefined, seconds };
  await keep(outcome);
  return outcome;
}

function printTable(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

export async function runAll(args: string[]): Promise<void> {
  const { values: flags } = parseArgs({
    args,
    options: {
      write: { type: "boolean", default: false },
      resume: { type: "boolean", default: false },
      only: { type: "string" },
    },
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
  if (!wanted && !flags.resume) await rm(keptOutcomes, { recursive: true, force: true });
  const outcomes: Outcome[] = [];
  for (const bench of benches) {
    if (wanted && !wanted.includes(bench.name)) continue;
    outcomes.push((flags.resume && (await readKept(bench))) || (await measure(bench)));
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
