import type { LeafCondition } from "@querybell/domain/conditions";
import type { JsonValue } from "@querybell/domain/results";
import { parseDecimal } from "@querybell/summaries/decimals";
import { toFraction, writeFraction } from "@querybell/summaries/fraction";
import type { ResultTable } from "@querybell/summaries/result-table";
import { findColumn, isNumeric, selectRows } from "@querybell/summaries/select-rows";
import { compareNumbers, orderHolds } from "./compare.ts";
import { compareValues } from "./compare-values.ts";
import { computeFigure } from "./figures.ts";
import { type Evidence, noData, type Outcome } from "./outcomes.ts";

type RowsCondition = Extract<LeafCondition, { kind: "rows" }>;

const decimalsOfFigures = 30;

/** Whether any row, or every row, meets a comparison. An empty cell meets none. */
export function evaluateRows({ which, column: name, where, is }: RowsCondition, evidence: Evidence): Outcome {
  const { result, wasMet } = evidence;
  if (!result) return noData("The run failed.");
  if (result.cut) return noData("A limit truncated the result, so nothing can be said of all its rows.");
  const column = findColumn(result, name);
  if (typeof column === "object") return noData(column.problem);
  const selection = selectRows(result, { where });
  if ("problem" in selection) return noData(selection.problem);
  const { positions } = selection;
  if (positions.length === 0 && which === "every") return noData("There are no such rows.");
  const otherOf = cellsToCompare(is.to, result, evidence);
  if ("problem" in otherOf) return noData(otherOf.problem);
  const type = result.fields[column]?.type ?? "string";
  const matching: number[] = [];
  for (const position of positions) {
    const [own, other] = [result.rows[position]?.[column] ?? null, otherOf.at(position)];
    if (isNumeric(type)) {
      const [first, second] = [parseDecimal(own), parseDecimal(other)];
      if (!first || !second) continue;
      const compared = compareNumbers([toFraction(first), toFraction(second)], is, wasMet);
      if ("problem" in compared) return noData(`Row ${position + 1}: ${compared.problem}`);
      if (compared.holds) matching.push(position);
      continue;
    }
    if (is.by) return noData("Only numbers have a difference.");
    const order = compareValues(own, other, type);
    if (order !== null && orderHolds(is.operator, order)) matching.push(position);
  }
  const fact = { kind: "matches" as const, name, positions: matching, of: positions.length };
  const isMet = which === "any" ? matching.length > 0 : matching.length === positions.length;
  if (isMet) return { kind: "met", facts: [fact] };
  return { kind: "not_met", facts: [fact], reason: `${matching.length} of ${positions.length} rows do.` };
}

function cellsToCompare(
  to: RowsCondition["is"]["to"],
  result: ResultTable,
  { charts }: Evidence,
): { at: (position: number) => JsonValue } | { problem: string } {
  if (to.kind === "value") return { at: () => to.value };
  if (to.kind === "column") {
    const column = findColumn(result, to.column);
    if (typeof column === "object") return column;
    return { at: (position) => result.rows[position]?.[column] ?? null };
  }
  if (to.kind !== "chart") return { problem: "Rows cannot be compared with this." };
  const chart = charts.get(to.shortId);
  if (!chart) return { problem: `The chart ${to.shortId} has no result.` };
  const figure = computeFigure(chart, to.figure);
  if ("problem" in figure) return figure;
  const cell = figure.kind === "text" ? figure.text : writeFraction(figure.value, decimalsOfFigures);
  return { at: () => cell };
}
