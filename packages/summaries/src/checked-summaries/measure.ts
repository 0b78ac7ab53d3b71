import type { JsonValue } from "@querybell/domain/results";
import { power } from "../digest/decimals.ts";
import { columnFigures } from "../digest/numeric-column.ts";
import type { Measure } from "../stored-results/operations.ts";
import type { ResultTable } from "../stored-results/result-table.ts";
import { type Fraction, fraction, toFraction } from "./fraction.ts";
import { asText, findColumn, isNumeric } from "./select-rows.ts";

export type Computed =
  | { kind: "number"; value: Fraction }
  | { kind: "text"; text: string }
  | {
      kind: "problem";
      reason: string;
      /** Whether there were no values to compute from. */
      isEmpty: boolean;
    };

/** Longer numbers are unreadable, and arithmetic on them is slow. */
const maxDigits = 900;

const problem = (reason: string): Computed => ({ kind: "problem", reason, isEmpty: false });
const empty = (reason: string): Computed => ({ kind: "problem", reason, isEmpty: true });

/** Computes a measure of some rows without rounding. */
export function computeMeasure(
  table: ResultTable,
  positions: readonly number[],
  { operation, column: name }: Measure,
): Computed {
  if (operation === "count") return number(fraction(BigInt(positions.length), 1n));
  if (positions.length === 0) return empty("No row is selected.");
  if (name === undefined) return problem(`The operation ${operation} needs a column.`);
  const column = findColumn(table, name);
  if (typeof column === "object") return problem(column.problem);
  const field = table.fields[column];
  const cells = positions.map((position) => table.rows[position]?.[column] ?? null);
  if (operation === "distinct_count") {
    const distinct = new Set(cells.filter((cell) => cell !== null).map((cell) => JSON.stringify(cell)));
    return number(fraction(BigInt(distinct.size), 1n));
  }
  if (!field || field.type === "json" || field.type === "binary") {
    return problem(`The column ${JSON.stringify(name)} holds nothing that can be written.`);
  }
  return isNumeric(field.type) ? numeric(cells, operation) : textual(cells, operation);
}

type CellOperation = Exclude<Measure["operation"], "count" | "distinct_count">;

function numeric(cells: JsonValue[], operation: CellOperation): Computed {
  const table = { fields: [], rows: cells.map((cell) => [cell]), cut: false };
  const { values, given, notFinite, total, highest, lowest } = columnFigures(table, 0);
  if (notFinite > 0) return problem("Some of these rows hold no finite number.");
  if (!highest || !lowest) return empty("The column is empty in these rows.");
  switch (operation) {
    case "value":
      if (highest.holders !== values.length) return problem("These rows have several values. Name one row.");
      return number(toFraction(highest.value));
    case "sum":
      return number(toFraction(total));
    case "average":
      return number(fraction(total.units, BigInt(given) * power(total.scale)));
    case "minimum":
      return number(toFraction(lowest.value));
    case "maximum":
      return number(toFraction(highest.value));
  }
}

function number(value: Fraction): Computed {
  const isLong = [value.numerator, value.denominator].some((part) => String(part).length > maxDigits);
  return isLong ? problem("The number has too many digits.") : { kind: "number", value };
}

/** Texts and dates. ISO dates are ordered like texts. */
function textual(cells: JsonValue[], operation: CellOperation): Computed {
  const texts = cells.filter((cell) => cell !== null).map(asText);
  if (operation === "sum" || operation === "average") return problem("This column is not numeric.");
  if (operation === "value" && (texts.length < cells.length || new Set(texts).size !== 1)) {
    return texts.length === 0
      ? empty("It is empty.")
      : problem("These rows have several values. Name one row.");
  }
  let [text] = texts;
  for (const other of texts) {
    if (text !== undefined && (operation === "maximum" ? other > text : other < text)) text = other;
  }
  return text === undefined ? empty("The column is empty in these rows.") : { kind: "text", text };
}
