import { toValue } from "../measuring/measuring.ts";
import type { Bench, Figure } from "./catalogue.ts";

export interface Outcome {
  bench: Bench;
  /** By key; undefined if the bench failed. */
  measured: Map<string, number> | undefined;
  seconds: number;
}

/** Reads the line that a bench prints at its end, `name key=value …`; undefined if there is none. */
export function readFigures(name: string, output: string): Map<string, number> | undefined {
  const line = output.split("\n").findLast((each) => each.startsWith(`${name} `));
  if (line === undefined) return undefined;
  const pairs = line
    .split(" ")
    .slice(1)
    .map((pair) => pair.split("="));
  return new Map(pairs.map(([key = "", value = ""]) => [key, toValue(value)]));
}

type Verdict = "met" | "not met" | "not measured" | "";

function toVerdict({ aim }: Figure, value: number | undefined): Verdict {
  if (value === undefined || Number.isNaN(value)) return "not measured";
  if (aim === undefined) return "";
  return ("atLeast" in aim ? value >= aim.atLeast : value <= aim.atMost) ? "met" : "not met";
}

export function aimText({ aim }: Figure): string {
  if (aim === undefined) return "";
  return "atLeast" in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
}

/** One row for each figure: bench and key, meaning, value, aim, verdict. */
export function toRows(outcomes: Outcome[]): string[][] {
  return outcomes.flatMap(({ bench, measured }) =>
    bench.figures.map((figure) => {
      const value = measured?.get(figure.key);
      const shown = value === undefined || Number.isNaN(value) ? "–" : String(value);
      return [
        `${bench.name} ${figure.key}`,
        figure.meaning,
        shown,
        aimText(figure),
        toVerdict(figure, value),
      ];
    }),
  );
}
