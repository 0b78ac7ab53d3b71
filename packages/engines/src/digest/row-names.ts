import type { Field } from "@querybell/domain";
import type { JsonValue } from "../results/json-value.ts";
import { type ColumnRole, roleOf } from "./column-roles.ts";
import type { DigestTable, Tables } from "./digest-table.ts";
import { figurePhrase, joined, type Phrase, phrase } from "./phrase.ts";
import { columnName, plainText, quote } from "./plain-text.ts";
import { parseDay, writeDay } from "./written-day.ts";

const maxLabel = 40;

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

export type NameRow = (row: number) => Phrase | null;

/** Names rows by one unique column, or else by two columns; null if there are none. */
export function rowNamer(tables: Tables, which: keyof Tables): NameRow {
  const table = tables[which];
  if (!table) return () => null;
  const columns = namingColumns(table).filter(
    (column) => columnNamed(table, table.fields[column]?.name ?? "") !== null,
  );
  const single = columns.find((column) => areUnique(table, [column]));
  const chosen = single === undefined ? columns.slice(0, 2) : [single];
  return (row) => (chosen.length > 0 ? nameBy({ table, which }, chosen, row) : null);
}

interface NamedTable {
  table: DigestTable;
  which: keyof Tables;
}

/** The row's name by these columns. */
export const nameBy = (named: NamedTable, columns: readonly number[], row: number): Phrase =>
  joined(
    columns.map((column) => {
      const cell = named.table.rows[row]?.[column] ?? null;
      const name = columnName(named.table.fields[column]?.name ?? "");
      if (cell === null) return phrase`no ${name}`;
      const written = cellPhrase(named, column, row);
      const isBare = typeof cell === "boolean" || /^-?\d+$/.test(written.text);
      return isBare ? phrase`${name} ${written}` : written;
    }),
    " / ",
  );

/** A cell of a column that names rows: in quotes, or bare if it is a whole number, a date or true or false. */
export function cellPhrase({ table, which }: NamedTable, column: number, row: number): Phrase {
  const field = table.fields[column];
  const cell = table.rows[row]?.[column] ?? null;
  if (cell === null) return phrase`nothing`;
  const written = writeCell(field, cell);
  if (written === '""') return phrase`an empty text`;
  return figurePhrase(written, {
    result: which,
    rows: [row + 1],
    column: field?.name ?? "",
    operation: "value",
  });
}

function writeCell(field: Field | undefined, cell: JsonValue): string {
  if (typeof cell === "boolean") return String(cell);
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  if (field?.type === "string") return quote(text, maxLabel);
  const day = parseDay(text);
  if (day) return writeDay(day);
  const isBare = /^(?:-?\d+|\d{4}-\d{2}-[\dT:.]+Z?)$/.test(text) && text.length <= maxLabel;
  return isBare ? plainText(text, maxLabel) : quote(text, maxLabel);
}
