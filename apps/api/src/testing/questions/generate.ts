import type { SeededRandom } from "@querybell/core/testing";

/** Which limit of its database could cut a result. */
export type Limit = "none" | "rows" | "bytes";
export const limits = {
  none: { rows: 200_000 },
  // Where Metabase cuts without a word (its issue 82850).
  rows: { rows: 2_000 },
  bytes: { rows: 200_000, bytes: 20_480 },
} as const;

/** A result of which every cell can be computed without a database. */
export interface GeneratedResult {
  size: number;
  limit: Limit;
  /** Numbers are null in every row whose index is a multiple of this. */
  nullEvery: number;
  factor: number;
  modulus: number;
  labelLength: number;
}

const columns = ["n", "price", "big", "label"] as const;
type Column = (typeof columns)[number];
type Figure = "sum" | "minimum" | "maximum";

export type Question = { figure: "count" } | { figure: Figure; column: Column };

/** Numbers as hundredths, so that they are exact. Null if there is no value, "unknown" if it cannot be known. */
export type Fact = bigint | string | null | "unknown";

const big = 9_007_199_254_740_993n;

export const sqlOf = ({ size, nullEvery, factor, modulus, labelLength }: GeneratedResult): string => `
  SELECT n, (n * 0.01::DECIMAL(3,2))::DECIMAL(18,2) AS price, ${big} + n AS big,
    repeat('x', ${labelLength}) || lpad((i * ${factor} % ${modulus})::VARCHAR, 7, '0') AS label
  FROM (
    SELECT i, CASE WHEN i % ${nullEvery} <> 0 THEN i * ${factor} % ${modulus} - ${modulus >> 1} END AS n
    FROM range(${size}) t(i))`;

function cellOf({ nullEvery, factor, modulus, labelLength }: GeneratedResult, column: Column, i: number) {
  const mixed = (i * factor) % modulus;
  if (column === "label") return "x".repeat(labelLength) + String(mixed).padStart(7, "0");
  if (i % nullEvery === 0) return null;
  const n = BigInt(mixed - (modulus >> 1));
  return { n: n * 100n, price: n, big: (big + n) * 100n }[column];
}

/** More than the tools show of a text. */
const longLabel = 600;

/** What a client must say: the truth, or that it does not know where the answers of the tools are cut. */
export function factOf(result: GeneratedResult, question: Question): Fact {
  const { size, limit, labelLength } = result;
  if (limit === "bytes" || (limit === "rows" && size > limits.rows.rows)) return "unknown";
  if (question.figure === "count") return BigInt(size);
  if (question.column === "label" && labelLength === longLabel) return "unknown";
  const cells = Array.from({ length: size }, (_, i) => cellOf(result, question.column, i));
  return computeFigure(cells, question.figure);
}

export function computeFigure(cells: readonly (bigint | string | null)[], figure: Figure): Fact {
  let fact: bigint | string | null = null;
  for (const cell of cells) {
    if (cell === null) continue;
    if (fact === null) fact = cell;
    else if (figure === "sum") fact = BigInt(fact) + BigInt(cell);
    else if (figure === "minimum" ? cell < fact : cell > fact) fact = cell;
  }
  return fact;
}

/** Around the sizes at which answers and results are cut. */
const edges = [1, 2, 99, 100, 101, 499, 500, 501, 1_999, 2_000, 2_001, 100_000] as const;

export function generateResult(random: SeededRandom): GeneratedResult {
  const limit = random.pick<Limit>(["none", "none", "none", "rows", "bytes"]);
  // As many small results as large ones.
  const spread = Math.ceil(100_000 ** (random.below(1_000) / 1_000));
  const size = random.below(3) === 0 ? random.pick(edges) : spread;
  return {
    size: limit === "bytes" ? 10_000 + size : size,
    limit,
    nullEvery: random.pick([2, 7, 1_000_000]),
    factor: 7 + random.below(9_000),
    modulus: 2 + random.below(900_000),
    // A large result of long labels would meet the limit of bytes, too.
    labelLength: size <= 10_000 ? random.pick([0, 3, longLabel]) : 3,
  };
}

export function generateQuestion(random: SeededRandom): Question {
  const figure = random.pick<Question["figure"]>(["count", "sum", "minimum", "maximum"]);
  if (figure === "count") return { figure };
  return { figure, column: figure === "sum" ? random.pick(["n", "price", "big"]) : random.pick(columns) };
}
