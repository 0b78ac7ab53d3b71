import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import { isValueFormat, type ValueFormat } from "./formats.ts";

export const totals = ["sum", "average", "minimum", "maximum", "count"] as const;
export type Total = (typeof totals)[number];

export const cellColors = ["scale", "bars"] as const;
export type CellColor = (typeof cellColors)[number];

/** How a column of a table is shown. */
export interface ColumnSettings {
  column: string;
  /** The heading; null: the column's name. */
  title: string | null;
  /** In pixels; null: as wide as its values need. */
  width: number | null;
  isHidden: boolean;
  /** Whether it stays at the left while the others are scrolled. */
  isPinned: boolean;
  format: ValueFormat;
  decimals: number | null;
  total: Total | null;
  color: CellColor | null;
  /** An address with `{value}` in it, to which the cells are linked. */
  link: string | null;
}

/** A table of one column against another. */
export interface PivotSettings {
  rows: string[];
  /** The column whose values become columns. */
  columns: string | null;
  values: string | null;
  aggregate: Total;
}

export interface TableSettings {
  /** In their order. Columns of the result that are not listed follow. */
  columns: ColumnSettings[];
  pivot: PivotSettings | null;
}

export const plainColumn = (column: string): ColumnSettings => ({
  column,
  title: null,
  width: null,
  isHidden: false,
  isPinned: false,
  format: "auto",
  decimals: null,
  total: null,
  color: null,
  link: null,
});

export const plainTable: TableSettings = { columns: [], pivot: null };

/** The columns of a result as the settings show them: pinned ones first. */
export function columnsOf(
  { columns }: Pick<TableSettings, "columns">,
  names: readonly string[],
): ColumnSettings[] {
  const known = columns.filter(({ column }) => names.includes(column));
  const others = names.filter((name) => !known.some(({ column }) => column === name)).map(plainColumn);
  const all = [...known, ...others];
  return [...all.filter(({ isPinned }) => isPinned), ...all.filter(({ isPinned }) => !isPinned)];
}

const text = (value: LiteralValue | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;
const oneOf = <Value extends string>(
  values: readonly Value[],
  value: LiteralValue | undefined,
): Value | null => values.find((one) => one === value) ?? null;

/** Reads the settings of a table from its element. */
export function readTable(element: ChartElement | null): TableSettings {
  if (element?.name !== "Table") return plainTable;
  const columns = element.children.flatMap(({ name, props }): ColumnSettings[] => {
    const column = text(props.dataKey);
    if (name !== "Column" || column === null) return [];
    return [
      {
        column,
        title: text(props.title),
        width: typeof props.width === "number" ? props.width : null,
        isHidden: props.hide === true,
        isPinned: props.pin === true,
        format: isValueFormat(props.format) ? props.format : "auto",
        decimals: typeof props.decimals === "number" ? props.decimals : null,
        total: oneOf(totals, props.total),
        color: oneOf(cellColors, props.color),
        link: text(props.link),
      },
    ];
  });
  return { columns, pivot: readPivot(element.props) };
}

/** A narrower column shows nothing, and a wider one hides the others. */
export const columnWidthLimits = { min: 56, max: 2000 };

/** The width that somebody has chosen, within the limits. */
export const chosenWidth = (width: number | null): number | undefined =>
  width === null ? undefined : Math.min(columnWidthLimits.max, Math.max(columnWidthLimits.min, width));

function readPivot({ rows, columns, values, aggregate }: ChartElement["props"]): PivotSettings | null {
  const listed = Array.isArray(rows) ? rows.filter((name) => typeof name === "string") : [];
  if (listed.length === 0) return null;
  return {
    rows: listed,
    columns: text(columns),
    values: text(values),
    aggregate: oneOf(totals, aggregate) ?? "sum",
  };
}

/** Writes the settings as an element. Null for a table without any. */
export function writeTable({ columns, pivot }: TableSettings): ChartElement | null {
  const children = columns.map(
    ({ column, title, width, isHidden, isPinned, format, decimals, total, color, link }) => ({
      name: "Column",
      props: given({
        dataKey: column,
        title,
        width,
        hide: isHidden || null,
        pin: isPinned || null,
        format: format === "auto" ? null : format,
        decimals,
        total,
        color,
        link,
      }),
      children: [],
    }),
  );
  const props = pivot
    ? given({ ...pivot, aggregate: pivot.aggregate === "sum" ? null : pivot.aggregate })
    : {};
  return children.length === 0 && !pivot ? null : { name: "Table", props, children };
}

const given = (props: Record<string, LiteralValue>): ChartElement["props"] =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value !== null));

/** The address of a cell: only to the web, and with the value as a part of it. */
export function linkOf(template: string, value: string): string | undefined {
  // A value that is the whole address is one; within an address it is encoded.
  const address =
    template.trim() === "{value}" ? value : template.replaceAll("{value}", encodeURIComponent(value));
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : undefined;
}
