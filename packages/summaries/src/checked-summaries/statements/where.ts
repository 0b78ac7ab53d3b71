import { type Day, toTime } from "../../digest/written-day.ts";
import { writeCount } from "../write-number.ts";
import { type Written, write } from "../written.ts";
import { writeLabel } from "./columns.ts";
import {
  type DatedColumn,
  hasBegun,
  isFiner,
  isIn,
  isOpen,
  isOver,
  type NamedPeriod,
  startsIn,
} from "./dates.ts";
import type { StatementContext } from "./request.ts";
import type { Selection } from "./selection.ts";

const calendarNames = new Set(
  (
    "date day week month quarter year period time starts start datum tag woche monat quartal jahr zeitraum jour semaine " +
    "mois trimestre année periode période fecha día dia semana mes trimestre año periodo período"
  ).split(" "),
);

/** The column of the dates in parentheses, unless its name says no more than that it holds dates. */
export const datesLabel = (dates: DatedColumn): string =>
  calendarNames.has(dates.name.toLowerCase()) ? "" : ` (${writeLabel(dates.name, dates)})`;

/**
 * The rest of a period's description: its column unless that is clear, that it is not over, that parts are
 * missing.
 */
export function periodSuffix(
  dates: DatedColumn,
  period: NamedPeriod,
  { wording, today }: Pick<StatementContext, "wording" | "today">,
): string {
  const label = datesLabel(dates);
  const isSoFar = isOpen(period, today) && !reachesBeyond(dates, period, today);
  const begun = isSoFar ? `${label}${wording.soFar}` : label;
  if (!isFiner(dates.unit, period.unit)) return begun;
  // Of a period that is not over, only the parts that are over count.
  const counts = (day: Day) => !isSoFar || isOver({ unit: dates.unit, start: day }, today);
  const there = dates.starts.filter((day) => isIn(day, period) && counts(day)).length;
  const all = startsIn(period, dates.unit).filter(counts).length;
  const count = (number: number) => writeCount(number, wording.numbers);
  return there < all ? `${begun} (${wording.partOfUnits(dates.unit, count(there), count(all))})` : begun;
}

/** Whether rows of a period lie in the future, as those of a plan do. */
const reachesBeyond = ({ starts }: DatedColumn, period: NamedPeriod, today: Day): boolean =>
  starts.some((day) => isIn(day, period) && toTime(day) > toTime(today));

/** Whether a statement about these rows is in the past tense. */
export const isPast = ({ period, dates, run }: Selection, { today }: StatementContext): boolean =>
  run === "before" ||
  (period !== null && dates !== null && hasBegun(period, today) && !reachesBeyond(dates, period, today));

/** " in October 2026", or nothing. */
export const wherePeriod = ({ period, dates }: Selection, context: StatementContext): Written =>
  period && dates
    ? write`${context.wording.inPeriod(period.unit, period.start)}${periodSuffix(dates, period, context)}`
    : write``;

export const whereRun = ({ run }: Selection, { wording }: StatementContext): string =>
  run === "before" ? wording.inLastRun : "";

/** All words that say which rows. Of a result that a limit cut, also that there may be others. */
export const whereOf = (selection: Selection, context: StatementContext): Written =>
  write`${selection.named}${wherePeriod(selection, context)}${whereRun(selection, context)}${whereCut(selection, context)}`;

const whereCut = ({ table }: Selection, { wording }: StatementContext): string =>
  table.cut ? wording.inFirstRows(writeCount(table.rows.length, wording.numbers)) : "";

/** The words that distinguish the other rows of a comparison: the run, the rows or the period. */
export const whereOther = (other: Selection, selection: Selection, context: StatementContext): Written => {
  if (other.run !== selection.run) return write`${whereRun(other, context)}`;
  const isSamePeriod = JSON.stringify(other.period) === JSON.stringify(selection.period);
  return isSamePeriod ? other.named : wherePeriod(other, context);
};
