import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "../stored-results/result-table.ts";
import { areUnique, columnNamed, columnsWithRole, roleAt } from "./column-roles.ts";
import { type Day, parseDay, toTime } from "./written-day.ts";

export type Unit = "day" | "week" | "month" | "quarter" | "year";

export interface Period {
  start: Day;
  /** As it is in the data. */
  cell: string | number;
  /** The positions of its rows. */
  rows: number[];
}

/** What a result says of the periods of time that its rows are about. */
export interface Periods {
  /** The position and the name of their column. */
  position: number;
  column: string;
  unit: Unit;
  /** Those that are over, the oldest first. */
  past: Period[];
  /** The one that is not over yet. */
  current: Period | null;
  /** Whether each has one row. */
  isSingle: boolean;
}

/**
 * Finds the periods of a result by its column of dates, of months such as 2026-10, or of years. Null where a date is
 * something else: one property of a row among others, a time of the day, or missing in some rows.
 */
export function findPeriods(table: ResultTable, today: Day): Periods | null {
  const position = table.cut || table.rows.length === 0 ? null : periodColumn(table);
  const field = position === null ? undefined : table.fields[position];
  if (position === null || !field) return null;
  const byStart = new Map<number, Period>();
  for (const [row, cells] of table.rows.entries()) {
    const cell = cells[position] ?? null;
    const start = toStart(field, cell);
    if (!start || (typeof cell !== "string" && typeof cell !== "number")) return null;
    const found = byStart.get(toTime(start));
    if (found && found.cell !== cell) return null;
    if (found) found.rows.push(row);
    else byStart.set(toTime(start), { start, cell, rows: [row] });
  }
  const all = [...byStart.entries()].toSorted(([one], [other]) => one - other).map(([, period]) => period);
  const isSingle = all.length === table.rows.length;
  if (!isSingle && !isGrouped(table)) return null;
  const unit = unitOf(
    field,
    all.map(({ start }) => start),
  );
  const past = all.filter(({ start }) => toTime(next(start, unit)) <= toTime(today));
  const current = all.find((period) => !past.includes(period) && toTime(period.start) <= toTime(today));
  if (past.length === 0 && !current) return null;
  return { position, column: field.name, unit, past, current: current ?? null, isSingle };
}

/** The only column of dates, or the first if that is the first of all. */
function periodColumn(table: ResultTable): number | null {
  const [first] = table.rows;
  const dated = [...table.fields.keys()].filter((position) => {
    const field = table.fields[position];
    return field !== undefined && toStart(field, first?.[position] ?? null) !== null;
  });
  const [position, second] = dated;
  if (position === undefined || (second !== undefined && position !== 0)) return null;
  if (columnNamed(table, table.fields[position]?.name ?? "") === null) return null;
  const isUnique = (column: number) => areUnique(table, [column]);
  // A list of orders or of products has dates too.
  if (table.rows.length > 1 && columnsWithRole(table, "identifier").some(isUnique)) return null;
  const labels = columnsWithRole(table, "label").filter((column) => column !== position);
  if (position > 0 && table.rows.length > 1 && labels.some(isUnique)) return null;
  return position;
}

/** Whether several rows of a period are its parts, so that they can be added up. */
const isGrouped = (table: ResultTable): boolean =>
  !columnsWithRole(table, "label").some((column) => areUnique(table, [column])) &&
  table.fields.some((_, position) => roleAt(table, position) === "amount");

export const isYearName = (name: string): boolean =>
  /(?:^|[^\p{L}])(?:year|yr|jahr|année|annee|año)$/iu.test(name);

/** The last word of a column's name, in the languages of summaries. */
const unitNames: [Unit, RegExp][] = [
  ["day", /(?:day|tag|jour|día|dia)s?$/i],
  ["week", /(?:week|woche|semaine|semana)s?$/i],
  ["month", /(?:month|monat|mois|(?:^|[^\p{L}])mes)s?$/iu],
  ["quarter", /(?:quarter|quartal|trimestre)s?$/i],
  ["year", /(?:year|jahr|année|annee|(?:^|[^\p{L}])año)s?$/iu],
];

function toStart({ name, type }: Field, cell: JsonValue): Day | null {
  if (type === "integer" && isYearName(name)) {
    const isYear = typeof cell === "number" && cell >= 1000 && cell <= 2999;
    return isYear ? { year: cell, month: 1, day: 1 } : null;
  }
  if (typeof cell !== "string" || (type !== "date" && type !== "timestamp" && type !== "string")) return null;
  if (type === "string") return /^\d{4}-\d{2}$/.test(cell) ? parseDay(`${cell}-01`) : null;
  return parseDay(cell);
}

/** By the column's name, or else the largest unit at whose beginnings all dates are. */
export function unitOf({ name, type }: Field, starts: readonly Day[]): Unit {
  const [unit] = unitNames.find(([, word]) => word.test(name)) ?? [];
  if (type === "integer") return "year";
  if (type === "string") return "month";
  const isFirst = (every: number) =>
    starts.every(({ month, day }) => day === 1 && month % every === 1 % every);
  const canBe: Record<Unit, boolean> = {
    year: isFirst(12),
    quarter: isFirst(3),
    month: isFirst(1),
    week: areWeeks(starts),
    day: true,
  };
  if (unit && canBe[unit]) return unit;
  // A name such as order_date or created_at means days.
  if (/(?:^|[ _])(?:date|datum|fecha|at|on)$/i.test(name)) return "day";
  // One date, or two of them, may be the first of a month by chance.
  return starts.length > 2 ? (units.find((one) => canBe[one]) ?? "day") : "day";
}

const units: Unit[] = ["year", "quarter", "month", "week", "day"];

const dayMs = 86_400_000;

/** Whether all are the same day of the week. */
const areWeeks = ([first, ...others]: readonly Day[]): boolean =>
  first !== undefined &&
  others.length > 0 &&
  others.every((other) => (toTime(other) - toTime(first)) % (7 * dayMs) === 0);

const toDay = (time: number): Day => {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};

/** The start of the period that is `count` periods later. */
export function next(start: Day, unit: Unit, count = 1): Day {
  if (unit === "day" || unit === "week")
    return toDay(toTime(start) + count * dayMs * (unit === "week" ? 7 : 1));
  const months = start.month - 1 + count * { month: 1, quarter: 3, year: 12 }[unit];
  return {
    year: start.year + Math.floor(months / 12),
    month: (((months % 12) + 12) % 12) + 1,
    day: start.day,
  };
}
