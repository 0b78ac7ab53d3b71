import type { Figure, FigureTest } from "@querybell/domain/conditions";
import type { Fraction } from "@querybell/summaries/fraction";
import { computeMeasure } from "@querybell/summaries/measure";
import type { ResultTable } from "@querybell/summaries/result-table";
import { asText, findColumn, selectRows } from "@querybell/summaries/select-rows";
import { compareNumbers, orderHolds, parseNumber, writeNumber } from "./compare.ts";
import { compareValues } from "./compare-values.ts";
import { type Evidence, type FigureFact, noData, type Outcome } from "./outcomes.ts";
import { type Period, periodBefore, periodOf } from "./periods.ts";

type Value = { kind: "number"; value: Fraction } | { kind: "text"; text: string };
type ComputedFigure = Value | { problem: string };

const cutProblem = "A limit truncated the result, so nothing can be said of all its rows.";

/** A figure of the rows for which its filters hold. */
export function computeFigure(table: ResultTable, { operation, column, where }: Figure): ComputedFigure {
  if (table.cut) return { problem: cutProblem };
  const selection = selectRows(table, { where });
  if ("problem" in selection) return selection;
  const computed = computeMeasure(table, selection.positions, { operation, column });
  return computed.kind === "problem" ? { problem: computed.reason } : computed;
}

export const nameOfFigure = ({ operation, column }: Pick<Figure, "operation" | "column">): string => {
  const words = {
    value: "value",
    sum: "sum",
    count: "number of rows",
    distinct_count: "number of different values",
    average: "average",
    minimum: "minimum",
    maximum: "maximum",
  };
  return column === undefined || operation === "count"
    ? words[operation]
    : `${words[operation]} of ${column}`;
};

export function evaluateFigure(
  { figure, is }: { figure: Figure; is: FigureTest },
  evidence: Evidence,
): Outcome {
  const { result } = evidence;
  if (!result) return noData("The run failed.");
  const pair = figuresToCompare(figure, is, { ...evidence, result });
  if ("problem" in pair) return noData(pair.problem);
  const type = result.fields.find(({ name }) => name === figure.column)?.type ?? "integer";
  return toOutcome(nameOfFigure(figure), pair, { is, wasMet: evidence.wasMet, type });
}

interface Pair {
  own: Value;
  other: Value;
}

function figuresToCompare(
  figure: Figure,
  { to }: FigureTest,
  { result, base, charts, now }: Evidence & { result: ResultTable },
): Pair | { problem: string } {
  if (to.kind === "period_before") return figuresOfPeriods(result, figure, { ...to, now });
  const own = computeFigure(result, figure);
  if ("problem" in own) return own;
  const other = (): ComputedFigure => {
    switch (to.kind) {
      case "value": {
        const number = own.kind === "number" ? parseNumber(to.value) : null;
        if (own.kind === "number" && !number) return { problem: `${JSON.stringify(to.value)} is no number.` };
        return number ? { kind: "number", value: number } : { kind: "text", text: to.value };
      }
      case "column":
        return computeFigure(result, { ...figure, column: to.column });
      case "chart": {
        const chart = charts.get(to.shortId);
        if (!chart) return { problem: `The chart ${to.shortId} has no result.` };
        return computeFigure(chart, to.figure);
      }
      case "last_run":
        return base ? computeFigure(base, figure) : { problem: "There is no earlier result yet." };
    }
  };
  const compared = other();
  return "problem" in compared ? compared : { own, other: compared };
}

interface InPeriods {
  dates: string;
  period: Period;
  now: Date;
}

/** The figure of the last period that is over, and of the one before it. */
function figuresOfPeriods(
  table: ResultTable,
  figure: Figure,
  periods: InPeriods,
): Pair | { problem: string } {
  const split = splitByPeriods(table, periods);
  if ("problem" in split) return split;
  const { last, previous } = split;
  const own = computeFigure(last.table, figure);
  if ("problem" in own) return { problem: `For ${last.name}: ${own.problem}` };
  const other = computeFigure(previous.table, figure);
  if ("problem" in other) return { problem: `For ${previous.name}: ${other.problem}` };
  return { own, other };
}

/** The rows of the last period that is over, and of the one before it. */
export function splitByPeriods(
  table: ResultTable,
  { dates, period, now }: InPeriods,
): Record<"last" | "previous", { name: string; table: ResultTable }> | { problem: string } {
  const column = findColumn(table, dates);
  if (typeof column === "object") return column;
  const rowsOf = (wanted: string) =>
    table.rows.filter((row) => {
      const cell = row[column] ?? null;
      return cell !== null && periodOf(asText(cell), period) === wanted;
    });
  const last = periodBefore(now.toISOString(), period);
  const previous = periodBefore(last.start, period);
  const partOf = ({ name }: { name: string }) => ({ name, table: { ...table, rows: rowsOf(name) } });
  return { last: partOf(last), previous: partOf(previous) };
}

function toOutcome(
  name: string,
  { own, other }: Pair,
  { is, wasMet, type }: { is: FigureTest; wasMet: boolean; type: Parameters<typeof compareValues>[2] },
): Outcome {
  if (own.kind === "number" && other.kind === "number") {
    const compared = compareNumbers([own.value, other.value], is, wasMet);
    if ("problem" in compared) return noData(compared.problem);
    const { holds, difference, percent } = compared;
    const fact: FigureFact = {
      kind: "figure",
      name,
      value: writeNumber(own.value),
      compared: writeNumber(other.value),
      difference,
      percent,
    };
    return toResult(holds, fact);
  }
  if (own.kind !== "text" || other.kind !== "text") return noData("A number cannot be compared with a text.");
  if (is.by) return noData("Only numbers have a difference.");
  const order = compareValues(own.text, other.text, type);
  if (order === null) return noData(`${JSON.stringify(other.text)} is not of the type of the column.`);
  const fact: FigureFact = {
    kind: "figure",
    name,
    value: own.text,
    compared: other.text,
    difference: null,
    percent: null,
  };
  return toResult(orderHolds(is.operator, order), fact);
}

const toResult = (isMet: boolean, fact: FigureFact): Outcome =>
  isMet
    ? { kind: "met", facts: [fact] }
    : {
        kind: "not_met",
        facts: [fact],
        reason: `The ${fact.name} is ${fact.value}, compared with ${fact.compared ?? "nothing"}.`,
      };
