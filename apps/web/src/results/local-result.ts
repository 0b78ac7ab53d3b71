import type { GridField } from "./cell-text.ts";
import { toColumnLines } from "./column-lines.ts";
import type { OpenResult } from "./open-result.ts";
import { ResultTable } from "./result-table.ts";
import type { Row } from "./row-blocks.ts";

/** A result of few rows, which needs no worker: those of a dashboard, or what was computed on the page, such as a pivot table. */
export function localResult(
  { fields, rows }: { fields: readonly GridField[]; rows: readonly Row[] },
  { runId, state }: Pick<OpenResult, "runId" | "state">,
): OpenResult {
  const table = new ResultTable({ fields, rows });
  let extremes: ReturnType<typeof table.extremes> | undefined;
  const findExtremes = () => (extremes ??= table.extremes());
  return {
    runId,
    state,
    fields,
    rowCount: table.rowCount,
    // Only tables ask for them.
    get longest() {
      return findExtremes().longest;
    },
    get ranges() {
      return findExtremes().ranges;
    },
    allRows: rows,
    rows: async (from, to) => table.slice(from, to),
    lines: async (from, to) => toColumnLines(fields, table.slice(from, to)),
    totals: async (wanted) => table.totals(wanted),
    sortAndFilter: async (order) => table.sortAndFilter(order),
    close: () => {},
  };
}
