import type { Field, JsonValue, ResultPreview } from "@querybell/domain/results";
import { writeFraction } from "../checked-summaries/fraction.ts";
import { type Computed, computeMeasure } from "../checked-summaries/measure.ts";
import { plainText } from "../checked-summaries/safe-name.ts";
import { findColumn, selectRows } from "../checked-summaries/select-rows.ts";
import type { Measure, ResultAggregate } from "./operations.ts";
import { previewResult } from "./preview-result.ts";
import { compareCells } from "./read-page.ts";
import type { ResultTable } from "./result-table.ts";

type AggregateAnswer = { preview: ResultPreview } | { problem: string };

/** Limits the work. A result with more groups is probably grouped by the wrong column. */
const maxGroups = 10_000;

/** Groups the rows of a result and computes measures of each group, exactly. */
export function aggregateResult(
  table: ResultTable,
  { where, groupBy, measures, descending, limit }: ResultAggregate,
): AggregateAnswer {
  const selection = selectRows(table, { where });
  if ("problem" in selection) return selection;
  const keys: number[] = [];
  for (const name of groupBy) {
    const column = findColumn(table, name);
    if (typeof column === "object") return column;
    keys.push(column);
  }
  const groups = new Map<string, number[]>();
  if (keys.length === 0) groups.set("", selection.positions);
  else {
    for (const position of selection.positions) {
      const key = JSON.stringify(keys.map((column) => table.rows[position]?.[column] ?? null));
      const group = groups.get(key);
      if (group) group.push(position);
      else groups.set(key, [position]);
      if (groups.size > maxGroups)
        return { problem: `There are more than ${maxGroups} groups. Group by less.` };
    }
  }
  const rows: JsonValue[][] = [];
  for (const group of groups.values()) {
    const names = keys.map((column) => table.rows[group[0] ?? 0]?.[column] ?? null);
    const cells = measures.map((measure) =>
      table.cut && measure.operation !== "value" ? cutProblem : computeMeasure(table, group, measure),
    );
    const refused = cells.find((cell) => cell.kind === "problem" && !cell.isEmpty);
    if (refused?.kind === "problem") return { problem: refused.reason };
    rows.push([...names, ...cells.map(toCell)]);
  }
  const by = keys.length;
  rows.sort((one, other) => compareMeasures(one[by] ?? null, other[by] ?? null, descending));
  const fields: Field[] = [
    ...keys.flatMap((column) => table.fields[column] ?? []),
    ...measures.map(({ operation, column }): Field => {
      const type = table.fields.find(({ name }) => name === column)?.type ?? "integer";
      return {
        name: column === undefined ? operation : `${operation} of ${column}`,
        type: measureType(operation, type),
      };
    }),
  ];
  const preview = previewResult({ fields, rows: rows.slice(0, limit), cut: table.cut });
  return { preview: { ...preview, rowCount: rows.length } };
}

const measureType = (operation: Measure["operation"], type: Field["type"]): Field["type"] =>
  operation === "count" || operation === "distinct_count"
    ? "integer"
    : operation === "average"
      ? "decimal"
      : type;

function compareMeasures(one: JsonValue, other: JsonValue, descending: boolean): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  const sign = compareCells(one, other, true);
  return descending ? -sign : sign;
}

const maxDecimals = 6;
const maxText = 80;
const cutProblem: Computed = {
  kind: "problem",
  reason: "A limit cut the result, so nothing can be said of all its rows.",
  isEmpty: false,
};

/**
 * With up to six fractional digits, which is enough to choose what to say. Statements are computed exactly.
 */
function toCell(computed: Computed): JsonValue {
  if (computed.kind === "problem") return null;
  return computed.kind === "text"
    ? plainText(computed.text, maxText)
    : writeFraction(computed.value, maxDecimals);
}
