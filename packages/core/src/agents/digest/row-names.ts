import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/engines";
import { type ColumnRole, roleOf } from "./column-roles.ts";
import type { DigestTable } from "./digest-table.ts";
import { columnName, plainText, quote } from "./plain-text.ts";

const maxLabel = 30;

export function roleAt({ fields }: DigestTable, position: number): ColumnRole {
  const field = fields[position];
  return field ? roleOf(field) : "other";
}

export const columnsWithRole = (table: DigestTable, role: ColumnRole): number[] =>
  [...table.fields.keys()].filter((position) => roleAt(table, position) === role);

/** The columns that say which row it is: those with words first, for people. */
export const namingColumns = (table: DigestTable): number[] => [
  ...columnsWithRole(table, "label"),
  ...columnsWithRole(table, "identifier"),
];

/** One text for the cells of these columns, equal for equal cells only. */
export const keyOf = (row: readonly JsonValue[], columns: readonly number[]): string =>
  JSON.stringify(columns.map((column) => row[column] ?? null));

export const areUnique = (table: DigestTable, columns: readonly number[]): boolean =>
  columns.length > 0 && new Set(table.rows.map((row) => keyOf(row, columns))).size === table.rows.length;

/** Names rows by one column that tells them apart, or else by two; null where no column names them. */
export function rowNamer(table: DigestTable): (row: number) => string | null {
  const columns = namingColumns(table);
  const single = columns.find((column) => areUnique(table, [column]));
  const chosen = single === undefined ? columns.slice(0, 2) : [single];
  return (row) => {
    const cells = chosen.map((column) => cellName(table.fields[column], table.rows[row]?.[column] ?? null));
    return cells.length > 0 ? cells.join(" / ") : null;
  };
}

function cellName(field: Field | undefined, cell: JsonValue): string {
  const name = columnName(field?.name ?? "");
  if (cell === null) return `no ${name}`;
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  if (typeof cell === "boolean") return `${name} ${text}`;
  const bare = text.length <= maxLabel && plainText(text, maxLabel) === text;
  if (bare && /^-?\d+$/.test(text) && field?.type !== "string") return `${name} ${text}`;
  if (bare && /^\d{4}-[\dT:.Z+-]+$/.test(text) && field?.type !== "string") return text;
  return quote(text, maxLabel);
}
