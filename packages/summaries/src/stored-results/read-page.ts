import type { JsonValue, ResultPreview } from "@querybell/domain/results";
import { asText, findColumn, isNumeric, selectRows } from "../checked-summaries/select-rows.ts";
import { compareDecimals, parseDecimal } from "../digest/decimals.ts";
import type { ResultPage, Sort } from "./operations.ts";
import { previewResult } from "./preview-result.ts";
import type { ResultTable } from "./result-table.ts";

/** Rows with their numbers in the result, counted from 1. */
interface NumberedRows {
  preview: ResultPreview;
  rowNumbers: number[];
}

export type PageAnswer = NumberedRows | { problem: string };

/** Filters, sorts and pages a result. */
export function readPage(
  table: ResultTable,
  { where, sort = [], columns, offset, limit }: ResultPage,
): PageAnswer {
  const selection = selectRows(table, { where });
  if ("problem" in selection) return selection;
  const order = orderOf(table, sort);
  if ("problem" in order) return order;
  const shown = columns?.map((name) => findColumn(table, name));
  const missing = shown?.find((column) => typeof column === "object");
  if (typeof missing === "object") return missing;
  const positions = shown?.filter((column) => typeof column === "number") ?? [...table.fields.keys()];
  const sorted = sort.length > 0 ? selection.positions.toSorted(order.compare) : selection.positions;
  const chosen = sorted.slice(offset, offset + limit);
  const preview = previewResult({
    fields: positions.flatMap((position) => table.fields[position] ?? []),
    rows: chosen.map((row) => positions.map((position) => table.rows[row]?.[position] ?? null)),
    cut: table.cut,
  });
  return {
    preview: { ...preview, rowCount: sorted.length },
    rowNumbers: chosen.slice(0, preview.rows.length).map((position) => position + 1),
  };
}

type Order = { compare: (one: number, other: number) => number } | { problem: string };

/** Orders the positions of rows. Empty cells come last. */
function orderOf({ fields, rows, cut }: ResultTable, sort: Sort[]): Order {
  const keys: { column: number; descending: boolean }[] = [];
  for (const { column: name, descending } of sort) {
    const column = findColumn({ fields, rows, cut }, name);
    if (typeof column === "object") return column;
    keys.push({ column, descending });
  }
  const compareRows = (one: number, other: number) => {
    for (const { column, descending } of keys) {
      const [first, second] = [rows[one]?.[column] ?? null, rows[other]?.[column] ?? null];
      if (first === null || second === null) {
        if (first === second) continue;
        return first === null ? 1 : -1;
      }
      const sign = compareCells(first, second, isNumeric(fields[column]?.type));
      if (sign !== 0) return descending ? -sign : sign;
    }
    return one - other;
  };
  return { compare: compareRows };
}

export function compareCells(one: JsonValue, other: JsonValue, isNumber: boolean): number {
  const [first, second] = isNumber ? [parseDecimal(one), parseDecimal(other)] : [null, null];
  if (first && second) return compareDecimals(first, second);
  const [text, otherText] = [asText(one), asText(other)];
  return text < otherText ? -1 : text > otherText ? 1 : 0;
}
