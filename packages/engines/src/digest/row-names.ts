import type { Field } from "@querybell/domain";
import type { JsonValue } from "../results/json-value.ts";
import { type ColumnRole, roleOf } from "./column-roles.ts";
import type { DigestTable } from "./digest-table.ts";
import { columnName, quote } from "./plain-text.ts";

const maxLabel = 30;

export function roleAt({ fields }: DigestTable, position: number): ColumnRole {
  const field = fields[position];
  return field ? roleOf(field) : "other";
}

export const columnsWithRole = (table: DigestTable, role: ColumnRole): number[] =>
  [...table.fields.keys()].filter((position) => roleAt(table, position) === role);

/** The columns that identify a row, those with words first, because people read them. */
export const namingColumns = (table: DigestTable): number[] => [
  ...columnsWithRole(table, "label"),
  ...columnsWithRole(table, "identifier"),
];

/** One text for the cells of these columns, equal for equal cells only. */
export const keyOf = (row: readonly JsonValue[], columns: readonly number[]): string =>
  JSON.stringify(columns.map((column) => row[column] ?? null));

export function areUnique(table: DigestTable, columns: readonly number[]): boolean {
  const seen = new Set<string>();
  for (const row of table.rows) {
    const key = keyOf(row, columns);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return columns.length > 0;
}

/** Names rows by one unique column, or else by two columns; null if there are none. */
export function rowNamer(table: DigestTable): (row: number) => string | null {
  const columns = namingColumns(table);
  const single = columns.find((column) => areUnique(table, [column]));
  const chosen = single === undefined ? columns.slice(0, 2) : [single];
  return (row) => (chosen.length > 0 ? nameBy(table, chosen, row) : null);
}

/** The row's name by these columns. */
export const nameBy = (table: DigestTable, columns: readonly number[], row: number): string =>
  columns.map((column) => cellName(table.fields[column], table.rows[row]?.[column] ?? null)).join(" / ");

function cellName(field: Field | undefined, cell: JsonValue): string {
  const name = columnName(field?.name ?? "");
  if (cell === null) return `no ${name}`;
  const text = writeCell(field, cell);
  return typeof cell === "boolean" || /^-?\d+$/.test(text) ? `${name} ${text}` : text;
}

/** A cell of a column that names rows: in quotes, or bare if it is a whole number, a date or true or false. */
export function writeCell(field: Field | undefined, cell: JsonValue): string {
  if (cell === null) return "nothing";
  if (typeof cell === "boolean") return String(cell);
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const isBare = field?.type !== "string" && /^(?:-?\d+|\d{4}-[\dT:.Z+-]+)$/.test(text);
  return isBare && text.length <= maxLabel ? text : quote(text, maxLabel);
}
