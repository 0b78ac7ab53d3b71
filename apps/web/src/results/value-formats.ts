import { dateFormat, numberFormat } from "../format/intl-formats.ts";
import { zoneOf } from "../format/times.ts";

/** How a value is written for people. `auto` follows the column's type. */
export const valueFormats = [
  "auto",
  "plain",
  "number",
  "compact",
  "percent",
  "usd",
  "eur",
  "gbp",
  "date",
  "month",
  "year",
  "datetime",
] as const;
export type ValueFormat = (typeof valueFormats)[number];

export const isValueFormat = (value: unknown): value is ValueFormat =>
  valueFormats.some((format) => format === value);

export const formatLabels: Record<ValueFormat, string> = {
  auto: "Automatic",
  plain: "As it is",
  number: "1,234.56",
  compact: "1.2K",
  percent: "12.3 %",
  usd: "US dollars",
  eur: "Euros",
  gbp: "Pounds sterling",
  date: "Day",
  month: "Month",
  year: "Year",
  datetime: "Day and time",
};

const numbers = {
  number: numberFormat({ maximumFractionDigits: 20 }),
  compact: numberFormat({ notation: "compact", maximumFractionDigits: 1 }),
  percent: numberFormat({ style: "percent", maximumFractionDigits: 1 }),
  usd: numberFormat({ style: "currency", currency: "USD" }),
  eur: numberFormat({ style: "currency", currency: "EUR" }),
  gbp: numberFormat({ style: "currency", currency: "GBP" }),
} as const;

const ticks = numberFormat({ notation: "compact", maximumSignificantDigits: 3 });

/** A short number for an axis. With the rounding of other compact numbers, 1.05 million would be 1.1M. */
export const formatTick = (value: unknown): string =>
  typeof value === "number" ? ticks().format(value) : formatValue(value, "compact");

// Days have no zone: they are read and written in the same one.
const utc = { timeZone: "UTC" } as const;
const dates = {
  date: dateFormat({ dateStyle: "medium" }),
  month: dateFormat({ year: "numeric", month: "short" }),
  year: dateFormat({ year: "numeric" }),
  datetime: dateFormat({ dateStyle: "medium", timeStyle: "short" }),
} as const;
const days = {
  date: dateFormat({ dateStyle: "medium", ...utc }),
  month: dateFormat({ year: "numeric", month: "short", ...utc }),
  year: dateFormat({ year: "numeric", ...utc }),
  datetime: dateFormat({ dateStyle: "medium", ...utc }),
} as const;

/** Whether a timestamp names its zone, so that it can be converted to the reader's. */
export const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/;

const isDay = /^\d{4}-\d{2}-\d{2}$/;

/** Writes a value in a format; one that the format cannot take is written as it is. */
export function formatValue(value: unknown, format: ValueFormat): string {
  if (value === null || value === undefined) return "";
  switch (format) {
    case "number":
    case "compact":
    case "percent":
    case "usd":
    case "eur":
    case "gbp":
      return formatNumber(value, format);
    case "date":
    case "month":
    case "year":
    case "datetime":
      return formatDate(value, format);
    case "auto":
      return typeof value === "number" ? numbers.number().format(value) : writeTime(toPlainText(value));
    case "plain":
      return toPlainText(value);
  }
}

function formatNumber(value: unknown, format: keyof typeof numbers): string {
  const isNumeric = typeof value === "number" || (typeof value === "string" && isNumber(value));
  // Intl takes the digits of a string as they are, beyond what a number can hold.
  return isNumeric ? numbers[format]().format(value as Intl.StringNumericLiteral) : toPlainText(value);
}

/** Whether a text is a number. Exact values are sent as strings of digits. */
export const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);

function formatDate(value: unknown, format: keyof typeof dates): string {
  const text = String(value);
  const time = Date.parse(text);
  if (Number.isNaN(time) || typeof value === "number") return toPlainText(value);
  if (isDay.test(text)) return days[format]().format(time);
  const written = dates[format]().format(time);
  // A time without a zone stays one: it is written as it came.
  return format === "datetime" && hasZone.test(text) ? `${written} ${zoneOf(new Date(time))}` : written;
}

/** A timestamp with a space in place of the T. At midnight, only its date. */
const writeTime = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)
    ? text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, "").replace("T", " ")
    : text;

/** A value without any formatting: what is copied and what the file holds. */
export function toPlainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
