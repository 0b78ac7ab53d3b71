import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { barChart } from "../charts/bar-chart.ts";
import type { Figure } from "./catalogue.ts";
import { aimText, type Outcome, toRows } from "./outcome.ts";

const page = new URL("../../../docs/performance.md", import.meta.url);
const images = new URL("../../../docs/images/", import.meta.url);
const [begin, end] = ["<!-- figures: begin -->", "<!-- figures: end -->"];

/** How near a figure is to its aim: 1 if it is just met, more if it is better. */
function nearness({ aim }: Figure, value: number): number {
  if (aim === undefined) return Number.NaN;
  if ("atLeast" in aim) return value / aim.atLeast;
  // An aim of none at all, such as no long frames: each one that there is counts.
  return aim.atMost === 0 ? 1 / (1 + value) : aim.atMost / value;
}

function aimsChart(outcomes: Outcome[]): string {
  const bars = outcomes.flatMap(({ bench, measured }) =>
    bench.figures.flatMap((figure) => {
      const value = measured?.get(figure.key);
      if (figure.aim === undefined || value === undefined || Number.isNaN(value)) return [];
      const label = `${bench.name} ${figure.key}`;
      return [{ label, value: nearness(figure, value), text: `${value} (${aimText(figure)})` }];
    }),
  );
  const title = "How near each figure is to its aim; longer is better, cut off at twice the aim";
  return barChart({ title, bars, mark: { value: 1, label: "aim" }, longest: 2 });
}

function scaleChart(measured: Map<string, number>): string {
  const rate = (key: string) => measured.get(key) ?? Number.NaN;
  const bars = ["deliveries", "runs"].flatMap((what) =>
    [1, 2, 4].map((workers) => {
      const value = rate(`${what}_${workers}`);
      const label = `${what}, ${workers} ${workers === 1 ? "worker" : "workers"}`;
      return { label, value: value / rate(`${what}_1`), text: `${value} /s` };
    }),
  );
  const title = "Deliveries and runs a second by the number of workers; one worker is 1";
  return barChart({ title, bars, longest: 4 });
}

function describeMachine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const model = cpus()[0]?.model.trim() || "processor of unknown model";
  return `${cpus().length} cores (${process.arch}, ${model}), ${memory} GiB, Node ${process.version}`;
}

function section(outcomes: Outcome[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const minutes = Math.round(outcomes.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const bounds = outcomes.map(({ bench }) => `| \`${bench.name}\` | ${bench.bound} |`);
  const rows = toRows(outcomes).map(([key, ...cells]) => `| \`${key}\` | ${cells.join(" | ")} |`);
  const hasScale = outcomes.some(({ bench, measured }) => bench.name === "scale" && measured);
  return [
    `Measured by \`pnpm bench --write\` on ${day}, in ${minutes} minutes: ${describeMachine()}.`,
    "",
    "| figure | meaning | measured | aim | |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "![How near each figure is to its aim](images/bench-aims.svg)",
    ...(hasScale ? ["", "![Rates by the number of workers](images/bench-scale.svg)"] : []),
    "",
    "Ratios are to these, measured in the same run:",
    "",
    "| bench | compared with |",
    "|---|---|",
    ...bounds,
  ].join("\n");
}

/** Replaces the part of the page between its two markers, and the charts that it shows. */
export async function writePerformancePage(outcomes: Outcome[]): Promise<void> {
  const text = await readFile(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Error(`docs/performance.md needs the lines ${begin} and ${end}: the figures go between them.`);
  }
  await writeFile(new URL("bench-aims.svg", images), aimsChart(outcomes));
  const scale = outcomes.find(({ bench }) => bench.name === "scale")?.measured;
  if (scale) await writeFile(new URL("bench-scale.svg", images), scaleChart(scale));
  await writeFile(page, `${text.slice(0, from)}${begin}\n${section(outcomes)}\n${text.slice(to)}`);
}
