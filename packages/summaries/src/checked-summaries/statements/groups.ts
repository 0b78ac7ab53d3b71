import type { JsonValue } from "@querybell/domain/results";
import { isoDay } from "../../digest/written-day.ts";
import type { ResultTable } from "../../stored-results/result-table.ts";
import { quoteName } from "../safe-name.ts";
import { asText, isNumeric, valueKey } from "../select-rows.ts";
import { refuse } from "../slot.ts";
import { valueFrom, type Written, write } from "../written.ts";
import { fieldAt, findColumnNamed, isMeasure, labelAt } from "./columns.ts";
import { dayOf, isDated, isOpen, readDates } from "./dates.ts";
import type { Request, StatementContext } from "./request.ts";
import { type Selection, withColumn } from "./selection.ts";

/** Rows with the same cell in the column that names them. */
export interface Group {
  cell: JsonValue;
  selection: Selection;
}

interface Grouping {
  column: number;
  groups: Group[];
}

/** Limits the work. A result with more groups is probably grouped by the wrong column. */
const maxGroups = 100_000;

/** Groups the selected rows by the column that is named with `by`, or else by the one that names them. */
export function groupRows(request: Request, selection: Selection): Grouping {
  const { table, positions } = selection;
  const by = request.find("by");
  const column = by === undefined ? namingColumn(selection) : findColumnNamed(table, by);
  // Rows with different times of a day are named by that day, so they are one group.
  const days = isDated(table, column) ? readDates(table, fieldAt(table, column).name).days : null;
  const groups = new Map<string, { cell: JsonValue; positions: number[] }>();
  for (const position of positions) {
    const day = days?.[position];
    const cell = day ? isoDay(day) : (table.rows[position]?.[column] ?? null);
    const key = valueKey(cell, table.fields[column]);
    const group = groups.get(key);
    if (group) group.positions.push(position);
    else groups.set(key, { cell, positions: [position] });
    if (groups.size > maxGroups) return refuse("There are too many groups. Name another column with by=…");
  }
  return {
    column,
    groups: [...groups.values()].map((group) => ({
      cell: group.cell,
      selection: { ...selection, positions: group.positions },
    })),
  };
}

/** The first column of texts, or else of identifiers or dates, that differs from row to row; or the first of texts. */
function namingColumn({ table, positions, period }: Selection): number {
  const isText = (position: number) => ["string", "boolean"].includes(fieldAt(table, position).type);
  const naming = [...table.fields.keys()].filter((position) => {
    const field = fieldAt(table, position);
    const isName = field.type !== "json" && field.type !== "binary" && !isMeasure(field);
    return isName && !(period && isDated(table, position));
  });
  const texts = naming.filter((position) => isText(position) && !isDated(table, position));
  const ordered = [...texts, ...naming.filter((position) => !texts.includes(position))];
  const isUnique = (column: number) =>
    new Set(positions.map((position) => JSON.stringify(table.rows[position]?.[column] ?? null))).size ===
    positions.length;
  const found = ordered.find(isUnique) ?? texts[0];
  return found ?? refuse("No column names the rows. Name one with by=…");
}

interface NamedCell {
  cell: JsonValue;
  context: StatementContext;
  /** Whether the column is named elsewhere. */
  isBare?: boolean;
}

/** The name of a group: "France" (country), order id 18, October 2026. */
export function nameOfCell(
  { table, run }: Pick<Selection, "table" | "run">,
  column: number,
  { cell, context, isBare = false }: NamedCell,
): Written {
  const field = fieldAt(table, column);
  const source = { run, column: field.name, rows: [] };
  if (cell === null) return refuse(`Some rows are empty in ${labelAt(table, column)}, and cannot be named.`);
  if (isDated(table, column)) return dateName(table, column, { cell, context });
  if (typeof cell === "boolean")
    return write`${labelAt(table, column)} ${valueFrom(context.wording.trueOrFalse(cell), source)}`;
  if (isNumeric(field.type) || /^-?\d+$/.test(asText(cell)))
    return write`${labelAt(table, column)} ${valueFrom(field.type === "string" ? quoteName(asText(cell)) : asText(cell), source)}`;
  const quoted = valueFrom(quoteName(asText(cell)), source);
  return isBare ? quoted : withColumn(table, column, quoted);
}

function dateName(
  table: ResultTable,
  column: number,
  { cell, context: { wording, today } }: Pick<NamedCell, "cell" | "context">,
): Written {
  const field = fieldAt(table, column);
  const { unit } = readDates(table, field.name);
  const start = dayOf(field, cell) ?? refuse("A date cannot be written.");
  const period = { unit, start };
  const suffix = isOpen(period, today) ? wording.soFar : "";
  return write`${wording.period(period.unit, period.start)}${suffix}`;
}

/** A name before a value. Without quotation marks it gets a colon: "October 2026: 500". */
export const beforeValue = (name: Written, { wording }: StatementContext): Written =>
  name.text.includes('"') ? name : write`${name}${wording.colon}`;

/** The name of a row by several columns. */
export const nameOfRow = (
  selection: Pick<Selection, "table" | "run">,
  columns: readonly number[],
  { position, context }: { position: number; context: StatementContext },
): Written => {
  const names = columns.map((column) =>
    nameOfCell(selection, column, { cell: selection.table.rows[position]?.[column] ?? null, context }),
  );
  const [first, ...others] = names;
  return others.reduce(
    (whole, name) => write`${whole} / ${name}`,
    first ?? refuse("The rows have no names."),
  );
};
