import type { Field } from "@querybell/domain";
import type { RowFilter } from "@querybell/domain/conditions";
import type { JsonValue } from "@querybell/domain/results";
import { compareDecimals, parseDecimal } from "../digest/decimals.ts";
import type { ResultTable } from "../stored-results/result-table.ts";

/** The position of the column with this name. */
export function findColumn({ fields }: ResultTable, name: string): number | { problem: string } {
  const positions = [...fields.keys()].filter((position) => fields[position]?.name === name);
  const [position, second] = positions;
  if (position === undefined) return { problem: `The result has no column ${JSON.stringify(name)}.` };
  if (second !== undefined) return { problem: `Several columns are called ${JSON.stringify(name)}.` };
  return position;
}

export const isNumeric = (type: Field["type"] | undefined): boolean =>
  type === "integer" || type === "number" || type === "decimal";

/** Selects rows by their numbers, counted from 1, and by conditions. Without either, all rows. */
export function selectRows(
  table: ResultTable,
  { rows, where = [] }: { rows?: number[] | undefined; where?: RowFilter[] | undefined },
): { positions: number[] } | { problem: string } {
  const beyond = rows?.find((number) => number > table.rows.length);
  if (beyond !== undefined) {
    return { problem: `There is no row ${beyond}: the result has ${table.rows.length} rows.` };
  }
  const tests: ((row: readonly JsonValue[]) => boolean)[] = [];
  for (const condition of where) {
    const column = findColumn(table, condition.column);
    if (typeof column === "object") return column;
    const test = testOf(condition, table.fields[column]);
    tests.push((row) => test(row[column] ?? null));
  }
  const candidates = rows ? [...new Set(rows)].map((number) => number - 1) : [...table.rows.keys()];
  const positions = candidates.filter((position) => tests.every((test) => test(table.rows[position] ?? [])));
  return { positions };
}

function testOf({ operator, value }: RowFilter, field: Field | undefined): (cell: JsonValue) => boolean {
  if (operator === "is_empty") return (cell) => cell === null;
  const wanted = value === undefined ? "" : String(value);
  if (operator === "contains") return (cell) => cell !== null && asText(cell).includes(wanted);
  const order = orderTo(wanted, field);
  switch (operator) {
    case "equals":
      return (cell) => order(cell) === 0;
    case "not_equals":
      return (cell) => cell !== null && order(cell) !== 0;
    case "less":
      return (cell) => isOrdered(order(cell), (sign) => sign < 0);
    case "at_most":
      return (cell) => isOrdered(order(cell), (sign) => sign <= 0);
    case "more":
      return (cell) => isOrdered(order(cell), (sign) => sign > 0);
    case "at_least":
      return (cell) => isOrdered(order(cell), (sign) => sign >= 0);
  }
}

const isOrdered = (sign: number | null, holds: (sign: number) => boolean): boolean =>
  sign !== null && holds(sign);

/** How a cell compares to a value: by number in numeric columns, else as text, which also orders ISO dates. */
export function orderTo(wanted: string, field: Field | undefined): (cell: JsonValue) => number | null {
  if (isNumeric(field?.type)) {
    const number = parseDecimal(wanted);
    return (cell) => {
      const own = parseDecimal(cell);
      return own && number ? compareDecimals(own, number) : null;
    };
  }
  return (cell) => {
    if (cell === null) return null;
    const text = asText(cell);
    return text < wanted ? -1 : text > wanted ? 1 : 0;
  };
}

/** One text for cells that are the same value: 5.0 and 5.00 are, in a column of numbers. */
export function valueKey(cell: JsonValue, field: Field | undefined): string {
  const number = isNumeric(field?.type) ? parseDecimal(cell) : null;
  if (!number) return JSON.stringify(cell);
  let { units, scale } = number;
  for (; scale > 0 && units % 10n === 0n; scale--) units /= 10n;
  return `${units} ${scale}`;
}

export const asText = (cell: JsonValue): string => (typeof cell === "string" ? cell : JSON.stringify(cell));

/** The first items by an order, without sorting the others. */
export function firstOf<Item>(
  items: readonly Item[],
  count: number,
  order: (one: Item, other: Item) => number,
): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    const last = first.at(-1);
    if (first.length >= count && last !== undefined && order(item, last) >= 0) continue;
    const place = first.findIndex((other) => order(item, other) < 0);
    first.splice(place === -1 ? first.length : place, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}
