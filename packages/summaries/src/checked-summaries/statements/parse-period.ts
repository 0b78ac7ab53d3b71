import { next } from "../../digest/periods.ts";
import { type Day, isoDay, parseDay, toTime } from "../../digest/written-day.ts";
import { refuse } from "../slot.ts";
import { type DatedColumn, isFiner, isIn, isOpen, isOver, type NamedPeriod } from "./dates.ts";

const monthNames = new Map<string, number>();
for (const locale of ["en", "de", "fr", "es"]) {
  const format = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" });
  for (let month = 1; month <= 12; month++)
    monthNames.set(format.format(Date.UTC(2026, month - 1, 1)).toLowerCase(), month);
}
/** Words around the parts of a date: "la semana del 5 de octubre de 2026". */
const smallWords = new Set(
  "the week of on in de del la el le du der die vom am im semaine semana woche".split(" "),
);

/** Reads a period: a keyword, 2026, 2026-Q3, 2026-10, 2026-10-05, or "October 2026". Undefined if it is none. */
export function findPeriod(text: string, dates: DatedColumn, today: Day): NamedPeriod | undefined {
  const word = text.trim().toLowerCase().replaceAll("_", " ");
  const keyword = byKeyword(word, dates, today);
  if (keyword !== undefined) return keyword;
  const period = byDate(word, dates);
  if (period && isFiner(period.unit, dates.unit)) {
    return refuse(`The result has no ${period.unit}s: its rows are about ${dates.unit}s.`);
  }
  if (period && dates.unit === "week" && isFiner("week", period.unit))
    return refuse(`Weeks do not add up to a ${period.unit}.`);
  return period;
}

function byKeyword(word: string, dates: DatedColumn, today: Day): NamedPeriod | undefined {
  const { unit } = dates;
  const all = dates.starts.map((start) => ({ unit, start }));
  const past = all.filter((period) => isOver(period, today));
  const missing = (what: string) => refuse(`There is no ${what} ${unit} in the result.`);
  switch (word) {
    case "first":
      return all[0] ?? missing("first");
    case "latest":
      return all.at(-1) ?? missing("latest");
    case "last":
      return past.at(-1) ?? missing("whole");
    case "previous":
      return past.at(-2) ?? missing("previous");
    case "current":
      return all.find((period) => isOpen(period, today)) ?? missing("current");
    default:
      return undefined;
  }
}

function byDate(word: string, { unit, starts }: DatedColumn): NamedPeriod | undefined {
  const [, onlyYear] = /^(\d{4})$/.exec(word) ?? [];
  if (onlyYear !== undefined) return { unit: "year", start: { year: Number(onlyYear), month: 1, day: 1 } };
  const [, year, quarter] = /^(\d{4})[ -]?[qt]([1-4])$/.exec(word) ?? [];
  const [, ofQuarter, ofYear] = /^[qt]([1-4])[ /-]?(\d{4})$/.exec(word) ?? [];
  if (year ?? ofYear) {
    const month = (Number(quarter ?? ofQuarter) - 1) * 3 + 1;
    return { unit: "quarter", start: { year: Number(year ?? ofYear), month, day: 1 } };
  }
  const month = /^\d{4}-\d{2}$/.test(word) ? parseDay(`${word}-01`) : null;
  if (month) return { unit: "month", start: month };
  const day = parseDay(word.slice(0, 10)) ?? inWords(word);
  if (!day) return undefined;
  if (day.day === 0) return { unit: "month", start: { ...day, day: 1 } };
  // In a result of months, 2026-10-01 is October.
  const isStart = starts.some((start) => toTime(start) === toTime(day));
  return { unit: isStart ? unit : "day", start: day };
}

/** "5 October 2026", "October 5, 2026", "5. Oktober 2026", "octubre de 2026"; the day is 0 where there is none. */
function inWords(word: string): Day | null {
  let [year, month, day] = [0, 0, 0];
  for (const part of word.split(/[ ,.]+/)) {
    const named = monthNames.get(part);
    const [, ordinal] = /^(\d{1,2})(?:st|nd|rd|th|er)?$/.exec(part) ?? [];
    if (part === "" || smallWords.has(part)) continue;
    if (named !== undefined && month === 0) month = named;
    else if (/^\d{4}$/.test(part) && year === 0) year = Number(part);
    else if (ordinal !== undefined && day === 0) day = Number(ordinal);
    else return null;
  }
  if (year === 0 || month === 0) return null;
  if (day === 0) return { year, month, day };
  return parseDay(isoDay({ year, month, day }));
}

/** The period that another is compared with by a keyword. Undefined if the text is none. */
export function relativePeriod(
  text: string,
  period: NamedPeriod,
  dates: DatedColumn,
): NamedPeriod | undefined {
  const { unit, start } = period;
  const there = (wanted: Day): NamedPeriod =>
    dates.starts.some((day) => isIn(day, { unit, start: wanted }))
      ? { unit, start: wanted }
      : refuse("The result has no rows of the period to compare with.");
  switch (text.trim().toLowerCase().replaceAll("_", " ")) {
    case "previous": {
      if (unit !== dates.unit) return there(next(start, unit, -1));
      const before = dates.starts.findLast((one) => toTime(one) < toTime(start));
      return before ? { unit, start: before } : refuse(`There is no ${unit} before it in the result.`);
    }
    case "year before":
    case "last year":
      // The same weekday, so that weeks are those of the result.
      if (unit === "week") return there(next(start, "week", -52));
      if (start.month === 2 && start.day === 29) return refuse("The year before has no 29 February.");
      return there(next(start, "year", -1));
    case "week before":
      return there(next(start, "week", -1));
    default:
      return undefined;
  }
}
