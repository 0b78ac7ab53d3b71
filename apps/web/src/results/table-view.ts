import { type ColumnSettings, columnsOf, type TableSettings } from "@querybell/charts/tables";
import type { ColumnLook, GridField } from "./cell-text.ts";
import { toColumnLines } from "./column-lines.ts";
import type { OpenResult } from "./open-result.ts";
import type { Row } from "./row-blocks.ts";

/** A result as a table shows it: the chosen columns in their order, each with its look. */
export interface TableView extends OpenResult {
  /** How many of the first columns stay at the left. */
  pinned: number;
  /** By column of the view: what it adds up, if anything. */
  columns: readonly ColumnSettings[];
}

export function viewOf(result: OpenResult, settings: TableSettings): TableView {
  const names = result.fields.map(({ name }) => name);
  const columns = columnsOf(settings, [...new Set(names)]).filter(({ isHidden }) => !isHidden);
  const indexes = columns.map(({ column }) => names.indexOf(column));
  const fields = columns.map((column, at): GridField => {
    const index = indexes[at] ?? 0;
    const field = result.fields[index] ?? { name: column.column, type: "string" as const };
    return { ...field, look: lookOf(column, field, result.ranges[index]) };
  });
  const project = (row: Row): Row => indexes.map((index) => row[index]);
  const rows = async (from: number, to: number) => (await result.rows(from, to)).map(project);
  return {
    ...result,
    fields,
    columns,
    pinned: columns.filter(({ isPinned }) => isPinned).length,
    longest: indexes.map((index) => result.longest[index] ?? []),
    ranges: indexes.map((index) => result.ranges[index]),
    rows,
    allRows: result.allRows?.map(project),
    // The worker does not know the formats.
    lines: async (from, to) => toColumnLines(fields, await rows(from, to)),
    totals: (wanted) => result.totals(wanted.map((one) => ({ ...one, column: indexes[one.column] ?? 0 }))),
    sortAndFilter: ({ sort, filter }) =>
      result.sortAndFilter({ filter, sort: sort && { ...sort, column: indexes[sort.column] ?? 0 } }),
  };
}

const lookOf = (
  { title, width, format, decimals, isPinned, color, link }: ColumnSettings,
  { name, heading }: GridField,
  range: ColumnLook["range"],
): ColumnLook => ({
  ...{ title: title ?? heading ?? name, width, format },
  ...{ decimals, isPinned, color, range, link },
});
