import type { Field } from "@querybell/domain";
import type { DigestTable } from "../../digest/digest-table.ts";
import { isYearName, next, type Unit, unitOf } from "../../digest/periods.ts";
import { type Day, parseDay, toTime } from "../../digest/written-day.ts";
import type { JsonValue } from "../../results/json-value.ts";
import { refuse } from "../slot.ts";
import { findColumnNamed } from "./columns.ts";

/** A column of dates, with the periods that its rows are about. */
export interface DatedColumn {
  position: number;
  name: string;
  unit: Unit;
  /** The day of each row; null where it is empty. */
  days: (Day | null)[];
  /** The first days of the periods, the oldest first. */
  starts: Day[];
}

const dated = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:Z|[+-]\d{2}:\d{2})?)?$/;
const midnight = /^[0:.]+$/;

interface Read {
  day: Day;
  hasTime: boolean;
}

function readDay({ name, type }: Field, cell: JsonValue): Read | null {
  if (type === "integer") {
    const isYear = isYearName(name) && typeof cell === "number" && cell >= 1000 && cell <= 2999;
    return isYear ? { day: { year: cell, month: 1, day: 1 }, hasTime: false } : null;
  }
  if (typeof cell !== "string" || (type !== "date" && type !== "timestamp" && type !== "string")) return null;
  if (type === "string" && /^\d{4}-\d{2}$/.test(cell)) {
    const day = parseDay(`${cell}-01`);
    return day && { day, hasTime: false };
  }
  const [, date, time] = dated.exec(cell) ?? [];
  const day = date === undefined ? null : parseDay(date);
  return day && { day, hasTime: time !== undefined && !midnight.test(time) };
}

const lookedAt = 100;

/** Whether a column holds dates, by the first of its cells. */
export function isDated(table: DigestTable, position: number): boolean {
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
export function readDates(table: DigestTable, name?: string): DatedColumn {
  const position = name === undefined ? onlyDated(table) : findColumnNamed(table, name);
  const field = table.fields[position];
  if (!field) return refuse("There is no column of dates.");
  let hasTimes = false;
  const days = table.rows.map((row) => {
    const cell = row[position] ?? null;
    if (cell === null) return null;
    const read = readDay(field, cell);
    if (!read) return refuse(`The column ${JSON.stringify(field.name)} holds something that is no date.`);
    hasTimes ||= read.hasTime;
    return read.day;
  });
  const distinct = new Map(days.flatMap((day) => (day ? [[toTime(day), day] as const] : [])));
  const starts = [...distinct.entries()].toSorted(([one], [other]) => one - other).map(([, day]) => day);
  const unit = hasTimes ? "day" : unitOf(field, starts);
  return { position, name: field.name, unit, days, starts };
}

function onlyDated(table: DigestTable): number {
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
  toTime(period.start) <= toTime(today) && !isOver(period, today);

/** How many periods of a unit a longer one has. */
export function unitsIn(period: NamedPeriod, unit: Unit): number {
  let count = 0;
  const end = toTime(endOf(period));
  for (let day = period.start; toTime(day) < end; day = next(day, unit)) count++;
  return count;
}
