import { CronError, type CronField, parseCronField } from "./cron-field.ts";

/** A parsed cron expression. */
export interface Cron {
  /** In ascending order. */
  minutesOfDay: readonly number[];
  /** January is 1. */
  months: ReadonlySet<number>;
  daysOfMonth: ReadonlySet<number>;
  /** Sunday is 0. */
  daysOfWeek: ReadonlySet<number>;
  /** Both day fields are restricted. Then a day matches if one of them does, as in standard cron. */
  eitherDay: boolean;
  /** The minute or the hour has a * or a step, so the expression means an interval and not a time of day. */
  isInterval: boolean;
}

const aliases = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

const monthWords = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayWords = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const minute: CronField = { name: "minute (1st field)", min: 0, max: 59, words: [] };
const hour: CronField = { name: "hour (2nd field)", min: 0, max: 23, words: [] };
const dayOfMonth: CronField = { name: "day of the month (3rd field)", min: 1, max: 31, words: [] };
const month: CronField = { name: "month (4th field)", min: 1, max: 12, words: monthWords };
const dayOfWeek: CronField = { name: "day of the week (5th field)", min: 0, max: 6, words: dayWords };

/** Parses five fields or an alias. Throws a CronError for anything else. */
export function parseCron(text: string): Cron {
  const trimmed = text.trim().toLowerCase();
  const fields = (aliases.get(trimmed) ?? trimmed).split(/\s+/);
  if (trimmed.startsWith("@") && fields.length === 1) {
    throw new CronError(`"${text.trim()}" is no alias. Give one of ${[...aliases.keys()].join(", ")}.`);
  }
  const [minutes, hours, days, months, weekdays] = fields;
  if (!minutes || !hours || !days || !months || !weekdays || fields.length > 5) {
    throw new CronError(
      `Give five fields, separated by spaces: minute, hour, day of the month, month, day of the week. "0 9 * * mon-fri" is 09:00 from Monday to Friday.`,
    );
  }
  const daysOfMonth = parseCronField(dayOfMonth, days);
  const daysOfWeek = new Set([...parseCronField(dayOfWeek, weekdays)].map((day) => day % 7));
  return {
    minutesOfDay: minutesOfDay(parseCronField(hour, hours), parseCronField(minute, minutes)),
    months: parseCronField(month, months),
    daysOfMonth,
    daysOfWeek,
    eitherDay: daysOfMonth.size < 31 && daysOfWeek.size < 7,
    isInterval: /[*/]/.test(minutes + hours),
  };
}

const minutesOfDay = (hours: Set<number>, minutes: Set<number>): number[] =>
  [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute)).sort((a, b) => a - b);
