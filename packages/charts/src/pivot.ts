import type { Field } from "@querybell/domain";
import type { ChartRows } from "./chart-data.ts";
import { formatCount } from "./counts.ts";
import { ExactTotal } from "./exact-sums.ts";
import { autoText, type Formats } from "./formats.ts";
import { identity } from "./split-values.ts";
import type { PivotSettings } from "./table-settings.ts";
import { timeNames } from "./time-names.ts";

/** More columns cannot be read. */
const maxColumns = 100;

interface PivotField extends Field {
  /** What people read instead of its name: "Sep 2026". The name stays the same for every reader. */
  heading?: string;
}

export interface PivotTable extends ChartRows {
  fields: readonly PivotField[];
  notes: string[];
}

/** Turns rows into a table: a row for each combination of some columns, a column for each value of another. */
export function pivot(
  { fields, rows }: Pick<ChartRows, "fields" | "rows">,
  settings: PivotSettings,
  formats: Formats,
): PivotTable {
  const indexOf = (name: string | null) => fields.findIndex((field) => field.name === name);
  const rowIndexes = settings.rows.map(indexOf).filter((index) => index !== -1);
  const columnIndex = indexOf(settings.columns);
  const valueIndex = indexOf(settings.values);
  const columns = new Map<unknown, string>();
  const groups = new Map<string, { keys: unknown[]; cells: Map<unknown, ExactTotal> }>();
  for (const row of rows) {
    const keys = rowIndexes.map((index) => row[index] ?? null);
    const key = JSON.stringify(keys.map(identity));
    const group = groups.get(key) ?? { keys, cells: new Map() };
    groups.set(key, group);
    const column = columnIndex === -1 ? null : identity(row[columnIndex]);
    if (!columns.has(column)) columns.set(column, nameOf(row[columnIndex], columnIndex === -1, settings));
    const cell = group.cells.get(column) ?? new ExactTotal();
    group.cells.set(column, cell);
    // Without a column of values, rows are counted.
    cell.add(valueIndex === -1 ? 1 : row[valueIndex]);
  }
  const sorted = [...columns].toSorted(([, a], [, b]) => names.compare(a, b));
  const shown = sorted.slice(0, maxColumns);
  const headings = timeNames(
    shown.map(([column]) => column),
    formats,
  );
  const aggregate = valueIndex === -1 ? "count" : settings.aggregate;
  const valueType = aggregate === "count" ? "integer" : "decimal";
  return {
    fields: [
      ...rowIndexes.flatMap((index) => fields.slice(index, index + 1)),
      ...distinct(shown.map(([, name]) => name)).map((name, index): PivotField => {
        const heading = headings[index];
        return { name, type: valueType, ...(heading !== undefined && { heading }) };
      }),
    ],
    rows: [...groups.values()].map(({ keys, cells }) => [
      ...keys,
      ...shown.map(([column]) => cells.get(column)?.read(aggregate) ?? null),
    ]),
    rowCount: groups.size,
    notes:
      shown.length < sorted.length
        ? [`Shows the first ${maxColumns} of ${formatCount(sorted.length)} values of ${settings.columns}.`]
        : [],
  };
}

function nameOf(value: unknown, isOnly: boolean, { values }: PivotSettings): string {
  if (isOnly) return values ?? "Rows";
  if (value === null || value === undefined) return "No value";
  return autoText(value).trim() || "Empty text";
}

/** Two different values can have the same text. */
function distinct(texts: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return texts.map((text) => {
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count === 1 ? text : `${text} (${count})`;
  });
}

const names = new Intl.Collator(undefined, { numeric: true });
