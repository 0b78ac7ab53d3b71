import { next } from "../../digest/periods.ts";
import { type Day, toTime } from "../../digest/written-day.ts";
import { refuse } from "../slot.ts";
import { writeCount } from "../write-number.ts";
import { valueFrom, type Written, write } from "../written.ts";
import { cutReason } from "./amounts.ts";
import { type DatedColumn, isOver, readDates } from "./dates.ts";
import type { Request } from "./request.ts";
import { datesLabel } from "./where.ts";

/** The dates of all rows. */
function datesOf(request: Request): DatedColumn & { first: Day; last: Day } {
  request.allow("dates", "column");
  if (request.conditions.length > 0 || request.run === "before")
    return refuse("It is about all rows of this run.");
  if (request.table.cut) return refuse(cutReason);
  const dates = readDates(request.table, request.find("dates") ?? request.find("column"));
  const [first, last] = [dates.starts[0], dates.starts.at(-1)];
  if (!first || !last) return refuse("There are no dates.");
  if (dates.days.includes(null)) return refuse(`Some rows are empty in ${JSON.stringify(dates.name)}.`);
  return { ...dates, first, last };
}

const maxSteps = 100_000;

/** The periods between the first and the last that have no rows. Null if there are too many to look at. */
export function missingPeriods({ starts, unit }: Pick<DatedColumn, "starts" | "unit">): Day[] | null {
  const [first, last] = [starts[0], starts.at(-1)];
  if (!first || !last) return [];
  const there = new Set(starts.map(toTime));
  const missing: Day[] = [];
  let day = first;
  for (let step = 0; toTime(day) < toTime(last); step++, day = next(first, unit, step)) {
    if (step > maxSteps) return null;
    if (!there.has(toTime(day))) missing.push(day);
  }
  return missing;
}

/** "the rows cover January 2026 to October 2026 (10 months)" */
export function writePeriods(request: Request): Written {
  const dates = datesOf(request);
  const { first, last, unit } = dates;
  const { wording } = request.context;
  const missing = (missingPeriods(dates) ?? refuse(tooMany)).length;
  const number = (count: number) => writeCount(count, wording.numbers);
  const there = dates.starts.length;
  return wording.covers({
    first: write`${wording.period(unit, first)}`,
    last: write`${wording.period(unit, last)}${datesLabel(dates)}`,
    counted:
      missing === 0
        ? wording.countedUnits(unit, number(there))
        : wording.partOfUnits(unit, number(there), number(there + missing)),
  });
}

const tooMany = "There are too many periods between the first and the last.";

/** Whether at least one whole period after the last one is over and has no rows. */
export const isStale = ({ unit, starts }: DatedColumn, today: Day): boolean => {
  const last = starts.at(-1);
  return last !== undefined && isOver({ unit, start: next(last, unit) }, today);
};

/** "there are no rows since 12 November 2026", or which rows are the latest. */
export function writeLatest(request: Request): Written {
  const dates = datesOf(request);
  const { wording, today } = request.context;
  const rows = dates.days.flatMap((day, position) =>
    day && toTime(day) === toTime(dates.last) ? [position + 1] : [],
  );
  const source = { run: request.run, column: dates.name, rows: rows.slice(0, 100) };
  const name = write`${valueFrom(wording.period(dates.unit, dates.last), source)}${datesLabel(dates)}`;
  return isStale(dates, today) ? wording.noRowsSince(name) : wording.latest(name);
}

const maxNamed = 3;

/** "there are no rows for August 2026 and September 2026" */
export function writeGaps(request: Request): Written {
  const dates = datesOf(request);
  const { wording } = request.context;
  const { unit } = dates;
  const missing = missingPeriods(dates) ?? refuse(tooMany);
  const nameOf = (day: Day) => write`${wording.period(unit, day)}`;
  if (missing.length === 0)
    return write`${wording.noGaps(unit, nameOf(dates.first), nameOf(dates.last))}${datesLabel(dates)}`;
  const named = missing.slice(0, maxNamed).map(nameOf);
  const more = missing.length - named.length;
  const counted = wording.countedUnits(unit, writeCount(more, wording.numbers));
  return write`${wording.gaps(named, more === 0 ? null : counted)}${datesLabel(dates)}`;
}
