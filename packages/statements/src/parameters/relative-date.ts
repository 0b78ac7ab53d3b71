/**
 * Relative dates, in UTC: an anchor and any number of steps, such as `today`, `today-7d`,
 * `month_start-1m`, `now-36h`. Units: h(ours), d(ays), w(eeks), m(onths), q(uarters), y(ears).
 */
const relativePattern = /^([a-z_]+)((?:\s*[+-]\s*\d{1,6}\s*[hdwmqy])*)$/;
const stepPattern = /([+-])\s*(\d+)\s*([hdwmqy])/g;

export const relativeDateHint =
  "today, yesterday, tomorrow, now, week_start, month_start, quarter_start or year_start, with steps such as -7d or +1m";

type Anchor = (now: Date) => Date;
const day = (now: Date, days = 0) => utc(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days);
const anchors = new Map<string, Anchor>([
  ["now", (now) => new Date(now)],
  ["today", (now) => day(now)],
  ["yesterday", (now) => day(now, -1)],
  ["tomorrow", (now) => day(now, 1)],
  // Weeks start on Monday, as in ISO 8601 and in date_trunc.
  ["week_start", (now) => day(now, -((now.getUTCDay() + 6) % 7))],
  ["month_start", (now) => utc(now.getUTCFullYear(), now.getUTCMonth(), 1)],
  ["quarter_start", (now) => utc(now.getUTCFullYear(), now.getUTCMonth() - (now.getUTCMonth() % 3), 1)],
  ["year_start", (now) => utc(now.getUTCFullYear(), 0, 1)],
]);

/** The time that a relative date means, or undefined if the text is not one. */
export function parseRelativeDate(text: string, now: Date): Date | undefined {
  const [, name = "", steps = ""] = relativePattern.exec(text.trim().toLowerCase()) ?? [];
  const anchor = anchors.get(name);
  if (!anchor) return undefined;
  let moment = anchor(now);
  for (const [, sign, amount, unit] of steps.matchAll(stepPattern)) {
    moment = step(moment, sign === "-" ? -Number(amount) : Number(amount), unit ?? "");
  }
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

const hour = 3_600_000;
const fixedUnits: Record<string, number> = { h: hour, d: 24 * hour, w: 7 * 24 * hour };
const monthUnits: Record<string, number> = { m: 1, q: 3, y: 12 };

function step(from: Date, amount: number, unit: string): Date {
  const fixed = fixedUnits[unit];
  return fixed === undefined
    ? addMonths(from, amount * (monthUnits[unit] ?? 0))
    : new Date(from.getTime() + amount * fixed);
}

/** A month after 31 January is the last day of February, as in SQL. */
function addMonths(from: Date, months: number): Date {
  const target = utc(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const lastDay = utc(target.getUTCFullYear(), target.getUTCMonth() + 1, 0).getUTCDate();
  target.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return new Date(target.getTime() + (from.getTime() - day(from).getTime()));
}

function utc(year: number, month: number, date: number): Date {
  const moment = new Date(0);
  moment.setUTCFullYear(year, month, date);
  return moment;
}
