import type { Condition, Figure, LeafCondition } from "@querybell/domain/conditions";
import { asText, findColumn } from "@querybell/summaries/select-rows";
import { type Judgement, judgeSeries } from "../ordinary/judge-series.ts";
import type { SeriesPoint } from "../ordinary/local-times.ts";
import { writeNumber } from "./compare.ts";
import { compareValues } from "./compare-values.ts";
import { computeFigure, evaluateFigure, nameOfFigure } from "./figures.ts";
import { type Evidence, type Fact, noData, type Outcome } from "./outcomes.ts";
import { evaluateRows } from "./rows.ts";
import { evaluateRowsChanged } from "./rows-changed.ts";
import { seriesOfRows } from "./series-of-rows.ts";

/** Whether a condition holds. What is missing decides only if the rest does not. */
export function evaluateCondition(condition: Condition, evidence: Evidence): Outcome {
  let leaf = 0;
  const evaluate = (part: Condition): Outcome => {
    if (part.kind !== "all" && part.kind !== "any") return evaluateLeaf(part, evidence, leaf++);
    return join(part.kind, part.conditions.map(evaluate));
  };
  return evaluate(condition);
}

function join(kind: "all" | "any", outcomes: readonly Outcome[]): Outcome {
  const met = outcomes.filter((outcome) => outcome.kind === "met");
  const notMet = outcomes.filter((outcome) => outcome.kind === "not_met");
  const missing = outcomes.find((outcome) => outcome.kind === "no_data");
  const factsOf = (some: readonly { facts: Fact[] }[]) => some.flatMap(({ facts }) => facts);
  const isMet = kind === "all" ? met.length === outcomes.length : met.length > 0;
  if (isMet) return { kind: "met", facts: factsOf(met) };
  if (missing && (kind === "any" || notMet.length === 0)) return missing;
  const reason = notMet.map((outcome) => outcome.reason).join(" ");
  return { kind: "not_met", facts: factsOf([...met, ...notMet]), reason };
}

function evaluateLeaf(condition: LeafCondition, evidence: Evidence, leaf: number): Outcome {
  const { result } = evidence;
  switch (condition.kind) {
    case "figure":
      return evaluateFigure(condition, evidence);
    case "rows":
      return evaluateRows(condition, evidence);
    case "rows_changed":
      return evaluateRowsChanged(condition, evidence);
    case "out_of_the_ordinary":
      return evaluateOrdinary(condition, evidence, leaf);
    case "stale":
      return evaluateStale(condition, evidence);
    case "failed":
      return said(result === null, "The run failed.", "The run completed.");
    case "cut":
      if (!result) return noData("The run failed.");
      return said(result.cut, "A limit truncated the result.", "No limit truncated the result.");
  }
}

const said = (isMet: boolean, yes: string, no: string): Outcome =>
  isMet ? { kind: "met", facts: [{ kind: "text", text: yes }] } : { kind: "not_met", facts: [], reason: no };

type Stale = Extract<LeafCondition, { kind: "stale" }>;

function evaluateStale({ dates, afterMinutes }: Stale, { result, now }: Evidence): Outcome {
  if (!result) return noData("The run failed.");
  if (result.cut) return noData("A limit truncated the result, so its newest rows may be missing.");
  const column = findColumn(result, dates);
  if (typeof column === "object") return noData(column.problem);
  const type = result.fields[column]?.type;
  if (type !== "date" && type !== "timestamp") return noData(`The column ${dates} holds no dates.`);
  let newest: string | null = null;
  for (const row of result.rows) {
    const cell = row[column] ?? null;
    if (cell !== null && (newest === null || (compareValues(cell, newest, type) ?? 0) > 0))
      newest = asText(cell);
  }
  if (newest === null) return noData(`The column ${dates} is empty.`);
  const limit = new Date(now.getTime() - afterMinutes * 60_000).toISOString();
  const order = compareValues(newest, limit, type);
  if (order === null) return noData(`${newest} is no date.`);
  const fact: Fact = {
    kind: "figure",
    name: `newest ${dates}`,
    value: newest,
    compared: limit,
    difference: null,
    percent: null,
  };
  if (order < 0) return { kind: "met", facts: [fact] };
  return { kind: "not_met", facts: [fact], reason: `The newest ${dates} is ${newest}.` };
}

/** What counts up while a period lasts: in the morning, the sum of the day is low each day. */
const growsInItsPeriod = new Set<Figure["operation"]>(["sum", "count", "distinct_count"]);

/** Without the last point, if its period is not over: it lasts as long as the one before. */
function withoutUnfinished(points: readonly SeriesPoint[], now: Date): readonly SeriesPoint[] {
  const [previous, last] = points.slice(-2);
  const isUnfinished = previous && last && last.at + (last.at - previous.at) > now.getTime();
  return isUnfinished ? points.slice(0, -1) : points;
}

type OutOfTheOrdinary = Extract<LeafCondition, { kind: "out_of_the_ordinary" }>;

function evaluateOrdinary(condition: OutOfTheOrdinary, evidence: Evidence, leaf: number): Outcome {
  const { result, now } = evidence;
  if (!result) return noData("The run failed.");
  const { figure, dates } = condition;
  let last: Judgement | undefined;
  if (dates === undefined) {
    const computed = computeFigure(result, figure);
    if ("problem" in computed) return noData(computed.problem);
    if (computed.kind === "text") return noData("A text has no ordinary value.");
    last = evidence.judge(leaf, { at: now.getTime(), value: Number(writeNumber(computed.value)) });
  } else {
    const series = seriesOfRows(result, { figure, dates });
    if ("problem" in series) return noData(series.problem);
    const points = growsInItsPeriod.has(figure.operation)
      ? withoutUnfinished(series.points, now)
      : series.points;
    last = judgeSeries(points, condition).at(-1);
  }
  if (!last || last.state === "no_data") return noData("There is no value.");
  if (last.state === "learning") return noData("There is too little of a past to say what is ordinary.");
  const fact: Fact = {
    kind: "figure",
    name: nameOfFigure(figure),
    value: String(last.value),
    compared: last.expected === null ? null : String(Number(last.expected.toPrecision(4))),
    difference: null,
    percent: null,
  };
  if (last.state === "unusual") return { kind: "met", facts: [fact] };
  return { kind: "not_met", facts: [fact], reason: `The ${fact.name} is ${fact.value}, which is ordinary.` };
}
