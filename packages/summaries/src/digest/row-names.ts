import type { JsonValue } from "@querybell/domain/results";
import { type ColumnRole, roleOf } from "./column-roles.ts";
import type { DigestTable } from "./digest-table.ts";

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

/** The position of a column by its name, if just one has it. */
export function columnNamed({ fields }: DigestTable, name: string): number | null {
  const positions = [...fields.keys()].filter((position) => fields[position]?.name === name);
  const [position, second] = positions;
  return position === undefined || second !== undefined ? null : position;
}
