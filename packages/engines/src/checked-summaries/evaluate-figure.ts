import { columnFigures } from "../digest/column-figures.ts";
import { roleOf } from "../digest/column-roles.ts";
import { type Decimal, power } from "../digest/decimals.ts";
import type { DigestTable } from "../digest/digest-table.ts";
import { plainText } from "../digest/plain-text.ts";
import type { JsonValue } from "../results/json-value.ts";
import type { EvaluatedFigure, Figure } from "./declaration.ts";
import { type Fraction, fraction, toFraction } from "./fraction.ts";
import { asText, findColumn, isNumeric, selectRows } from "./select-rows.ts";

const maxShownRows = 100;
const maxNameLength = 80;
/** Longer numbers are unreadable, and arithmetic on them is slow. */
const maxDigits = 900;

const problem = (reason: string): EvaluatedFigure => ({
  kind: "problem",
  reason: reason.slice(0, 500),
  isEmpty: false,
});
const empty = (reason: string): EvaluatedFigure => ({ kind: "problem", reason, isEmpty: true });

/** Computes a figure of a result without rounding. */
export function evaluateFigure(table: DigestTable, figure: Figure): EvaluatedFigure {
  const selection = selectRows(table, figure);
  if ("problem" in selection) return problem(selection.problem);
  const { positions } = selection;
  const { operation } = figure;
  if (table.cut && figure.rows === undefined && operation !== "value") {
    return problem(
      "A limit cut the result, so nothing can be said of all its rows. Name rows by their numbers.",
    );
  }
  const rows = positions.slice(0, maxShownRows).map((position) => position + 1);
  if (operation === "count") return number(fraction(BigInt(positions.length), 1n), { isRate: false, rows });
  if (positions.length === 0) return empty("No row is selected.");
  if (figure.column === undefined) return problem(`The operation ${operation} needs a column.`);
  const column = findColumn(table, figure.column);
  if (typeof column === "object") return problem(column.problem);
  const field = table.fields[column];
  const cells = positions.map((position) => table.rows[position]?.[column] ?? null);
  if (operation === "distinct_count") {
    const distinct = new Set(cells.filter((cell) => cell !== null).map((cell) => JSON.stringify(cell)));
    return number(fraction(BigInt(distinct.size), 1n), { isRate: false, rows });
  }
  if (!field || field.type === "json" || field.type === "binary") {
    return problem(`The column ${figure.column} holds nothing that can be written.`);
  }
  if (isNumeric(field.type)) {
    return numeric({ ...table, rows: positions.map((position) => table.rows[position] ?? []) }, column, {
      operation,
      isRate: roleOf(field) === "level" || field.name.includes("%"),
      rows,
    });
  }
  return textual(cells, operation, rows);
}

interface NumericOptions {
  operation: Exclude<Figure["operation"], "count" | "distinct_count">;
  isRate: boolean;
  rows: number[];
}

/** The figure of a numeric column over the rows of a table. */
function numeric(
  table: DigestTable,
  column: number,
  { operation, ...shown }: NumericOptions,
): EvaluatedFigure {
  const { values, given, notFinite, total, highest, lowest } = columnFigures(table, column);
  if (notFinite > 0) return problem("Some of these rows hold no finite number.");
  if (given === 0) return empty("The column is empty in these rows.");
  const one = (value: Decimal | undefined) =>
    value ? number(toFraction(value), shown) : empty("It is empty.");
  switch (operation) {
    case "value":
      if (highest?.holders !== values.length) return problem("These rows have several values. Name one row.");
      return one(highest.value);
    case "sum":
      return number(toFraction(total), shown);
    case "average":
      return number(fraction(total.units, BigInt(given) * power(total.scale)), shown);
    case "minimum":
      return one(lowest?.value);
    case "maximum":
      return one(highest?.value);
  }
}

function number(
  { numerator, denominator }: Fraction,
  shown: { isRate: boolean; rows: number[] },
): EvaluatedFigure {
  const [top, bottom] = [String(numerator), String(denominator)];
  if (top.length > maxDigits || bottom.length > maxDigits) return problem("The number has too many digits.");
  return { kind: "number", numerator: top, denominator: bottom, ...shown };
}

/** Texts and dates. ISO dates are ordered like texts. */
function textual(cells: JsonValue[], operation: Figure["operation"], rows: number[]): EvaluatedFigure {
  const texts = cells.filter((cell) => cell !== null).map(asText);
  if (operation === "sum" || operation === "average") return problem("This column is not numeric.");
  if (operation === "value" && (texts.length < cells.length || new Set(texts).size !== 1)) {
    return texts.length === 0
      ? empty("It is empty.")
      : problem("These rows have several values. Name one row.");
  }
  const sorted = texts.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const text = operation === "maximum" ? sorted.at(-1) : sorted[0];
  if (text === undefined) return empty("The column is empty in these rows.");
  return { kind: "text", text: plainText(text, maxNameLength), rows };
}

export const toExact = (text: { numerator: string; denominator: string }): Fraction =>
  fraction(BigInt(text.numerator), BigInt(text.denominator));
