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

/** An invalid cron expression. The message says what to write instead. */
export class CronError extends Error {}

interface CronField {
  name: string;
  min: number;
  max: number;
  /** Names for the numbers from `min` on. */
  words: readonly string[];
}

const forms = (min: number) => `a list (${min},${min + 2}), a range (${min}-${min + 4}), a step (*/2) or *`;

/** Parses one field to its numbers, at least one. */
function parseCronField(field: CronField, text: string): Set<number> {
  return new Set(text.split(",").flatMap((part) => numbersOf(field, part)));
}

function numbersOf(field: CronField, part: string): number[] {
  const [range = "", step, ...rest] = part.split("/");
  if (rest.length > 0) throw refusal(field, part);
  const [from, to] = boundsOf(field, range, step !== undefined);
  const by = step === undefined ? 1 : parseStep(field, step);
  const numbers: number[] = [];
  for (let number = from; number <= to; number += by) numbers.push(number);
  return numbers;
}

function boundsOf(field: CronField, range: string, stepped: boolean): [from: number, to: number] {
  if (range === "*") return [field.min, field.max];
  const [first = "", last, ...rest] = range.split("-");
  const from = parseNumber(field, first);
  if (last === undefined) return [from, stepped ? field.max : from];
  if (rest.length > 0) throw refusal(field, range);
  const end = parseNumber(field, last);
  // Sunday can also end a range: fri-sun.
  const to = field.words[0] === "sun" && end === 0 && from > 0 ? 7 : end;
  if (from > to) {
    throw new CronError(
      `The ${field.name} "${range}" runs backwards. Write it as two ranges: ${first}-${field.max},${field.min}-${last}.`,
    );
  }
  return [from, to];
}

function parseNumber(field: CronField, text: string): number {
  const word = field.words.indexOf(text.toLowerCase());
  if (word !== -1) return field.min + word;
  // Sunday is 0 and 7.
  const max = field.words[0] === "sun" ? 7 : field.max;
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= field.min && number <= max)) throw refusal(field, text);
  return number;
}

function parseStep(field: CronField, text: string): number {
  const longest = field.max - field.min;
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (step < 1 || step > longest) {
    throw new CronError(
      `The ${field.name} has the step "${text}", and steps start over with every new round: give a number from 1 to ${longest}.`,
    );
  }
  return step;
}

function refusal({ name, min, max, words }: CronField, text: string): CronError {
  const named = words.length > 0 ? ` or ${words[0]} to ${words.at(-1)}` : "";
  return new CronError(
    `The ${name} cannot be "${text}": give a number from ${min} to ${max}${named}, ${forms(min)}.`,
  );
}

// A wall-clock time is represented by the milliseconds of the same time in UTC.

const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

// From one 29 February to the next it can be eight years: 2096 to 2104.
const longestWaitMs = 9 * 366 * dayMs;

/** The first matching wall-clock time at or after this one. Null if there is none. */
export function firstMatch(cron: Cron, wallTime: number): number | null {
  const startOfDay = Math.floor(wallTime / dayMs) * dayMs;
  const minute = Math.ceil((wallTime - startOfDay) / minuteMs);
  for (let day = startOfDay; day < startOfDay + longestWaitMs; ) {
    const date = new Date(day);
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
      continue;
    }
    const found = namesDay(cron, date)
      ? cron.minutesOfDay.find((candidate) => day > startOfDay || candidate >= minute)
      : undefined;
    if (found !== undefined) return day + found * minuteMs;
    day += dayMs;
  }
  return null;
}

function namesDay({ daysOfMonth, daysOfWeek, eitherDay }: Cron, date: Date): boolean {
  const ofMonth = daysOfMonth.has(date.getUTCDate());
  const ofWeek = daysOfWeek.has(date.getUTCDay());
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}
