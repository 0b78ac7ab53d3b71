import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { isYearName, next, type Unit, unitOf } from "../../digest/periods.ts";
import { type Day, parseDay, toTime } from "../../digest/written-day.ts";
import type { ResultTable } from "../../stored-results/result-table.ts";
import { refuse } from "../slot.ts";
import { findColumnNamed } from "./columns.ts";

/** A column of dates, with the periods that its rows are about. */
export interface DatedColumn {
  position: number;
  name: string;
  isNamedByModel?: boolean | undefined;
  unit: Unit;
  /** The day of each row; null where it is empty. */
  days: (Day | null)[];
  /** The first days of the periods, the oldest first. */
  starts: Day[];
}

const dated = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(:\d{2}(?:\.\d+)?)?(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/;

interface Read {
  day: Day;
  /** What the cell contains: a month, a day, or a time of day. */
  precision: "month" | "day" | "time";
}

function readDay({ name, type }: Field, cell: JsonValue): Read | null {
  if (type === "integer") {
    const isYear = isYearName(name) && typeof cell === "number" && cell >= 1000 && cell <= 2999;
    return isYear ? { day: { year: cell, month: 1, day: 1 }, precision: "day" } : null;
  }
  if (typeof cell !== "string" || (type !== "date" && type !== "timestamp" && type !== "string")) return null;
  if (type === "string" && /^\d{4}-\d{2}$/.test(cell)) {
    const day = parseDay(`${cell}-01`);
    return day && { day, precision: "month" };
  }
  const [, date, hours, minutes, seconds, sign, ...offset] = dated.exec(cell) ?? [];
  const day = date === undefined ? null : parseDay(date);
  if (!day) return null;
  // Days begin and end in UTC.
  const [behindHours = 0, behindMinutes = 0] = offset.map((part) => Number(part ?? 0));
  const behind = (behindHours * 60 + behindMinutes) * (sign === "-" ? 1 : -1);
  const minute = Number(hours ?? 0) * 60 + Number(minutes ?? 0) + behind;
  const isMidnight = minute % (24 * 60) === 0 && !/[1-9]/.test(seconds ?? "");
  return {
    day: next(day, "day", Math.floor(minute / (24 * 60))),
    precision: isMidnight ? "day" : "time",
  };
}

/** The day of a cell, or of a day that stands for cells: 2026-10-05. */
export const dayOf = (field: Field, cell: JsonValue): Day | null =>
  (typeof cell === "string" ? parseDay(cell) : null) ?? readDay(field, cell)?.day ?? null;

/** Milliseconds, to order times that have different offsets. */
export const instantOf = (cell: string): number => {
  const iso = cell.replace(" ", "T");
  return Date.parse(/T/.test(iso) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso);
};

const lookedAt = 100;

/** Whether a column holds dates, by the first of its cells. */
export function isDated(table: ResultTable, position: number): boolean {
  const field = table.fields[position];
  if (!field) return false;
  let seen = 0;
  for (const row of table.rows) {
    const cell = row[position] ?? null;
    if (cell === null) continue;
    if (readDay(field, cell) === null) return false;
    if (++seen === lookedAt) break;
  }
  return seen > 0;
}

/** Reads the column of dates with this name, or the only one, or the first if that is the first of all columns. */
export function readDates(table: ResultTable, name?: string): DatedColumn {
  const position = name === undefined ? onlyDated(table) : findColumnNamed(table, name);
  const field = table.fields[position];
  if (!field) return refuse("There is no column of dates.");
  const precisions = new Set<Read["precision"]>();
  const days = table.rows.map((row) => {
    const cell = row[position] ?? null;
    if (cell === null) return null;
    const read = readDay(field, cell);
    if (!read) return refuse(`The column ${JSON.stringify(field.name)} holds something that is no date.`);
    precisions.add(read.precision);
    return read.day;
  });
  const distinct = new Map(days.flatMap((day) => (day ? [[toTime(day), day] as const] : [])));
  const starts = [...distinct.entries()].toSorted(([one], [other]) => one - other).map(([, day]) => day);
  if (precisions.has("month") && precisions.size > 1)
    return refuse(`The column ${JSON.stringify(field.name)} holds months and days.`);
  // Only texts such as 2026-10 are months by their form.
  const type = field.type === "string" && !precisions.has("month") ? "date" : field.type;
  const unit = precisions.has("time") ? "day" : unitOf({ ...field, type }, starts);
  return { position, name: field.name, isNamedByModel: table.isNamedByModel, unit, days, starts };
}

function onlyDated(table: ResultTable): number {
  const positions = [...table.fields.keys()].filter((position) => isDated(table, position));
  const [first, second] = positions;
  if (first === undefined) return refuse("The result has no column of dates.");
  if (second !== undefined && first !== 0)
    return refuse("There are several columns of dates: name one with dates=…");
  return first;
}

export interface NamedPeriod {
  unit: Unit;
  start: Day;
}

const endOf = ({ unit, start }: NamedPeriod): Day => next(start, unit);

export const isIn = (day: Day | null, period: NamedPeriod): boolean =>
  day !== null && toTime(day) >= toTime(period.start) && toTime(day) < toTime(endOf(period));

const sizes: Unit[] = ["day", "week", "month", "quarter", "year"];
export const isFiner = (one: Unit, other: Unit): boolean => sizes.indexOf(one) < sizes.indexOf(other);

export const isOver = (period: NamedPeriod, today: Day): boolean => toTime(endOf(period)) <= toTime(today);
export const isOpen = (period: NamedPeriod, today: Day): boolean =>
  hasBegun(period, today) && !isOver(period, today);

export const hasBegun = ({ start }: NamedPeriod, today: Day): boolean => toTime(start) <= toTime(today);

/** The first days of the shorter periods in a longer one. */
export function startsIn(period: NamedPeriod, unit: Unit): Day[] {
  const starts: Day[] = [];
  const end = toTime(endOf(period));
  for (let day = period.start; toTime(day) < end; day = next(day, unit)) starts.push(day);
  return starts;
}
