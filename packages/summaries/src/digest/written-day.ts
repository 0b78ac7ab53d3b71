/** A day of the calendar. Months are counted from 1. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

const form = /^(\d{4})-(\d{2})-(\d{2})(?:T00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?)?$/;

/** Parses 2026-10-01, and a time at the beginning of that day. */
export function parseDay(text: string): Day | null {
  const [found, year, month, day] = form.exec(text) ?? [];
  if (found === undefined) return null;
  const parsed = { year: Number(year), month: Number(month), day: Number(day) };
  const date = new Date(toTime(parsed));
  return date.getUTCMonth() + 1 === parsed.month && date.getUTCDate() === parsed.day ? parsed : null;
}

/** The day of a text that was validated before. */
export function getDay(text: string): Day {
  const day = parseDay(text);
  if (!day) throw new Error(`${text} is no day.`);
  return day;
}

/** 2026-10-05 */
export const isoDay = ({ year, month, day }: Day): string => {
  const pad = (part: number, digits: number) => String(part).padStart(digits, "0");
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
};

export const toTime = ({ year, month, day }: Day): number => {
  // Date.UTC takes years before 100 for those of the 20th century.
  const date = new Date(Date.UTC(2000, month - 1, day));
  return date.setUTCFullYear(year, month - 1, day);
};
