export type Period = "day" | "week" | "month" | "quarter" | "year";

const dayMs = 86_400_000;

/** The first day of the period of a date, in UTC. Null if the text is no date. */
function startOf(text: string, period: Period): Date | null {
  const [found, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  if (found === undefined) return null;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  switch (period) {
    case "day":
      return date;
    case "week":
      return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * dayMs);
    case "month":
      return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
    case "quarter":
      return new Date(Date.UTC(date.getUTCFullYear(), 3 * Math.floor(date.getUTCMonth() / 3)));
    case "year":
      return new Date(Date.UTC(date.getUTCFullYear(), 0));
  }
}

function nameOf(start: Date, period: Period): string {
  const day = start.toISOString().slice(0, 10);
  switch (period) {
    case "day":
      return day;
    case "week":
      return `the week of ${day}`;
    case "month":
      return day.slice(0, 7);
    case "quarter":
      return `${day.slice(0, 4)}-Q${1 + Math.floor(start.getUTCMonth() / 3)}`;
    case "year":
      return day.slice(0, 4);
  }
}

/** The name of the period that a date is in. */
export function periodOf(text: string, period: Period): string | null {
  const start = startOf(text, period);
  return start && nameOf(start, period);
}

/** The period before the one that a date is in. */
export function periodBefore(text: string, period: Period): { name: string; start: string } {
  const start = startOf(text, period) ?? new Date(0);
  const before = startOf(new Date(start.getTime() - dayMs).toISOString(), period) ?? start;
  return { name: nameOf(before, period), start: before.toISOString() };
}
