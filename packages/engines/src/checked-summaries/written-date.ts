/** The parts of a date or time that are written. Months are counted from 1, weekdays from 0 for Sunday. */
export interface WrittenDate {
  year?: number;
  quarter?: number;
  month?: number;
  day?: number;
  weekday?: number;
  time?: string;
}

const locales = ["en", "de", "fr", "es", "it", "pt", "nl"];

function namesOf(
  count: number,
  write: (format: (options: Intl.DateTimeFormatOptions) => string, at: number) => string,
) {
  const names = new Map<string, number>();
  for (const locale of locales) {
    for (let at = 0; at < count; at++) {
      const format = (options: Intl.DateTimeFormatOptions) =>
        new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(
          // The first of February 2026 is a Sunday.
          options.month ? Date.UTC(2026, at, 1) : Date.UTC(2026, 1, 1 + at),
        );
      names.set(write(format, at), at);
    }
  }
  return names;
}

const months = namesOf(12, (format) => format({ month: "long" }));
const weekdays = namesOf(7, (format) => format({ weekday: "long" }));

export const monthNamed = (word: string): number | undefined => {
  const at = months.get(word);
  return at === undefined ? undefined : at + 1;
};

export const weekdayNamed = (word: string): number | undefined => weekdays.get(word);

const isoForm = /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)Z?)?$/;
const timeForm = /^\d{1,2}:\d{2}(?::\d{2})?$/;

/** Parses "2026-10-01", "1 October 2026", "October 1, 2026", "October 2026", "Q4 2026", "Monday" or "10:30". */
export function parseWrittenDate(text: string): WrittenDate | null {
  const iso = isoForm.exec(text);
  if (iso) {
    const [, year, month, day, time] = iso;
    return {
      year: Number(year),
      month: Number(month),
      ...(day !== undefined && { day: Number(day) }),
      ...(time !== undefined && { time }),
    };
  }
  if (timeForm.test(text)) return { time: text.padStart(text.indexOf(":") === 1 ? text.length + 1 : 0, "0") };
  const date: WrittenDate = {};
  for (const word of text.split(" ").map((part) => part.replace(/[,.]$/, ""))) {
    const [month, weekday] = [monthNamed(word), weekdayNamed(word)];
    const [, quarter] = /^Q([1-4])$/.exec(word) ?? [];
    const [, day] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word) ?? [];
    if (month !== undefined && date.month === undefined) date.month = month;
    else if (weekday !== undefined && date.weekday === undefined) date.weekday = weekday;
    else if (quarter !== undefined && date.quarter === undefined) date.quarter = Number(quarter);
    else if (/^\d{4}$/.test(word) && date.year === undefined) date.year = Number(word);
    else if (day !== undefined && date.day === undefined) date.day = Number(day);
    else return null;
  }
  return date;
}

const cellForm = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ](\d{2}:\d{2}[\d:.]*)(?:Z|[+-]\d{2}:\d{2})?)?$/;
const timeCellForm = /^(\d{2}:\d{2}[\d:.]*)(?:Z|[+-]\d{2}:\d{2})?$/;

/** Whether everything that is written of a date holds for a cell with an ISO date or time. */
export function isDateOf(written: WrittenDate, cell: string): boolean {
  const [, onlyTime] = timeCellForm.exec(cell) ?? [];
  const [, year, month, day, timeOfDay] = cellForm.exec(cell) ?? [];
  const time = onlyTime ?? timeOfDay;
  const holds = (part: number | undefined, own: string | undefined) =>
    part === undefined || (own !== undefined && part === Number(own));
  if (!holds(written.year, year) || !holds(written.month, month) || !holds(written.day, day)) return false;
  if (written.quarter !== undefined && !(month && Math.ceil(Number(month) / 3) === written.quarter))
    return false;
  if (written.time !== undefined && !time?.startsWith(written.time)) return false;
  if (written.weekday === undefined) return true;
  if (!year || !month || !day) return false;
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay() === written.weekday;
}
