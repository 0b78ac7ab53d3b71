import type { Figure } from "@querybell/domain/conditions";
import type { ResultTable } from "@querybell/summaries/result-table";
import { Random } from "../../ordinary/testing/random.ts";

/** Two results, of which the second differs by what was planted, and by chance. */
interface MadeUpChange {
  before: ResultTable;
  now: ResultTable;
  figure: Figure;
  cause: { dimensions: string[]; values: string[] };
}

const dimensionNames = ["country", "product", "channel", "plan"];

/** Rows for each combination of values of two to four dimensions; one value, or one pair of values, moves. */
export function makeUpChange(seed: number): MadeUpChange {
  const random = new Random(seed * 2_654_435);
  const dimensions = dimensionNames.slice(0, random.integer(2, 4));
  const values = dimensions.map((name) =>
    Array.from({ length: random.integer(3, 8) }, (_, i) => `${name} ${i + 1}`),
  );
  const weights = values.map((names) => names.map(() => Math.exp(0.7 * random.normal())));
  const causeSize = random.next() < 0.75 ? 1 : 2;
  const chosen = dimensions
    .map((_, i) => i)
    .sort(() => random.next() - 0.5)
    .slice(0, causeSize)
    .sort();
  const chosenValues = chosen.map((i) => random.integer(0, (values[i]?.length ?? 1) - 1));
  const factor = random.next() < 0.5 ? random.between(0.2, 0.6) : random.between(1.6, 3);
  const noise = random.between(0.005, 0.03);
  const rows: { before: string[][]; now: string[][] } = { before: [], now: [] };
  const visit = (place: number[]): void => {
    const dimension = place.length;
    if (dimension < dimensions.length) {
      for (const value of (values[dimension] ?? []).keys()) visit([...place, value]);
      return;
    }
    const size = 1000 * place.reduce((product, value, i) => product * (weights[i]?.[value] ?? 1), 1);
    const isCause = chosen.every((i, k) => place[i] === chosenValues[k]);
    const names = place.map((value, i) => values[i]?.[value] ?? "");
    const draw = (mean: number) => (mean * Math.exp(noise * random.normal())).toFixed(2);
    rows.before.push([...names, draw(size)]);
    rows.now.push([...names, draw(size * (isCause ? factor : 1))]);
  };
  visit([]);
  const fields = [
    ...dimensions.map((name) => ({ name, type: "string" as const })),
    { name: "revenue", type: "decimal" as const },
  ];
  return {
    before: { fields, rows: rows.before, cut: false },
    now: { fields, rows: rows.now, cut: false },
    figure: { operation: "sum", column: "revenue", where: [] },
    cause: {
      dimensions: chosen.map((i) => dimensions[i] ?? ""),
      values: chosen.map((i, k) => values[i]?.[chosenValues[k] ?? 0] ?? ""),
    },
  };
}
