import { type Granularity, parseWallTime, type WallTime, type ZoneOffset, zoneOffset } from "./times.ts";

/** How a value is written for people. `auto` follows the value. */
export const valueFormats = [
  "auto",
  "plain",
  "number",
  "compact",
  "percent",
  "percentValue",
  "usd",
  "eur",
  "gbp",
  "chf",
  "jpy",
  "date",
  "month",
  "quarter",
  "year",
  "datetime",
  "time",
] as const;
export type ValueFormat = (typeof valueFormats)[number];

export const isValueFormat = (value: unknown): value is ValueFormat =>
  valueFormats.some((format) => format === value);

export const formatLabels: Record<ValueFormat, string> = {
  auto: "Automatic",
  plain: "As it is",
  number: "1,234.56",
  compact: "1.2K",
  percent: "Percent (0.12 is 12 %)",
  percentValue: "Percent (12 is 12 %)",
  usd: "US dollars",
  eur: "Euros",
  gbp: "Pounds sterling",
  chf: "Swiss francs",
  jpy: "Yen",
  date: "Day",
  month: "Month",
  quarter: "Quarter",
  year: "Year",
  datetime: "Day and time",
  time: "Time of day",
};

const currencies = { usd: "USD", eur: "EUR", gbp: "GBP", chf: "CHF", jpy: "JPY" } as const;
type Currency = keyof typeof currencies;
const isCurrency = (format: ValueFormat): format is Currency => Object.hasOwn(currencies, format);

const timeFormats = ["date", "month", "quarter", "year", "datetime", "time"] as const;
type TimeFormat = (typeof timeFormats)[number];
const isTimeFormat = (format: ValueFormat): format is TimeFormat => timeFormats.some((one) => one === format);

type NumberFormat = Exclude<ValueFormat, "auto" | "plain" | TimeFormat>;
const isNumberFormat = (format: ValueFormat): format is NumberFormat =>
  !isTimeFormat(format) && format !== "auto" && format !== "plain";

/** Whether a timestamp names its zone, so that it can be converted to the reader's. */
export const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** Whether a text is a number. Exact values are sent as strings of digits. */
export const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);

/** A value without any formatting: what is copied and what the file holds. */
export function toPlainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export interface Reader {
  /** Default: that of this process or browser. */
  locale?: string | undefined;
  timeZone?: string | undefined;
}

/** Writes values as a reader does. */
export interface Formats {
  /** Writes a value in a format; one that the format cannot take is written as it is. */
  value(value: unknown, format: ValueFormat): string;
  /** Writes a value with every digit, also where its format has fewer. A long percentage is followed by its value. */
  exact(value: unknown, format: ValueFormat): string;
  /** With a fixed number of decimals. */
  decimals(value: unknown, format: ValueFormat, decimals: number): string;
  /** Short texts for the ticks of one axis, each different from the others. */
  ticks(ticks: readonly number[], format: ValueFormat): string[];
  /** A number in few letters, for a label beside a mark. */
  short(value: number, format: ValueFormat): string;
  /** A time of an axis, in the unit of its ticks. */
  time(time: WallTime, unit: Granularity, withYear: boolean): string;
  /** A change, with its sign. */
  change(share: number): string;
  offsetAt: ZoneOffset;
}

/** The objects of Intl take long to create, so each is created when it is first needed. */
export function createFormats({ locale, timeZone }: Reader = {}): Formats {
  const numbers = cached((key) => new Intl.NumberFormat(locale, JSON.parse(key) as Intl.NumberFormatOptions));
  const dates = cached(
    (key) => new Intl.DateTimeFormat(locale, JSON.parse(key) as Intl.DateTimeFormatOptions),
  );
  const number = (options: Intl.NumberFormatOptions) => numbers(JSON.stringify(options));
  // Times are on the wall clock already, so they are written as they are.
  const date = (options: Intl.DateTimeFormatOptions) =>
    dates(JSON.stringify({ ...options, timeZone: "UTC" }));
  const offsetAt = zoneOffset(timeZone);

  const writeNumber = (
    value: unknown,
    format: NumberFormat,
    more: Intl.NumberFormatOptions | undefined,
  ): string => {
    const isNumeric = typeof value === "number" || (typeof value === "string" && isNumber(value));
    if (!isNumeric) return toPlainText(value);
    // Intl takes the digits of a string as they are, beyond what a number can hold.
    const text = number({ ...optionsOf(format), ...more }).format(value as Intl.StringNumericLiteral);
    return format === "percentValue" ? percentSign(text) : text;
  };

  /** In the reader's style, with the sign where the locale has it. */
  const percentSign = (text: string): string => {
    const parts = number({ style: "percent" }).formatToParts(1);
    const at = parts.findIndex(({ type }) => type === "integer");
    const outside = (some: Intl.NumberFormatPart[]) => some.map(({ value }) => value).join("");
    return `${outside(parts.slice(0, at))}${text}${outside(parts.slice(at + 1))}`;
  };

  const writeTime = (value: unknown, format: TimeFormat): string => {
    const time = parseWallTime(value, offsetAt);
    if (time === undefined) return toPlainText(value);
    switch (format) {
      case "date":
        return date({ dateStyle: "medium" }).format(time);
      case "month":
        return date({ year: "numeric", month: "short" }).format(time);
      case "quarter":
        return `Q${Math.floor(new Date(time).getUTCMonth() / 3) + 1} ${date({ year: "numeric" }).format(time)}`;
      case "year":
        return date({ year: "numeric" }).format(time);
      case "time":
        return date({ timeStyle: "short" }).format(time);
      case "datetime": {
        const text = String(value);
        if (/^\d{4}-\d{2}(?:-\d{2})?$/.test(text)) return date({ dateStyle: "medium" }).format(time);
        const written = date({ dateStyle: "medium", timeStyle: "short" }).format(time);
        // A time without a zone stays one: it is written as it came.
        return hasZone.test(text) ? `${written} ${zoneText(time - offsetAtWall(time, offsetAt))}` : written;
      }
    }
  };

  /** "UTC", "UTC+2", "UTC−3:30". */
  const zoneText = (utc: number): string => {
    const minutes = Math.round(offsetAt(utc) / 60_000);
    if (minutes === 0) return "UTC";
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
  };

  const short = (value: number, format: ValueFormat, decimals = 1): string => {
    const size = Math.abs(value);
    const isPercent = format === "percent" || format === "percentValue";
    const chosen = isNumberFormat(format) ? format : "number";
    if (size >= 1e15 || (size !== 0 && size < 1e-6))
      return writeNumber(value, chosen, { notation: "scientific", maximumFractionDigits: decimals });
    const isCompact = size >= 10_000 && format !== "number" && !isPercent;
    const digits = { minimumFractionDigits: 0, maximumFractionDigits: decimals };
    return writeNumber(value, chosen, { ...digits, ...(isCompact && { notation: "compact" }) });
  };

  return {
    offsetAt,
    value(value, format) {
      if (value === null || value === undefined) return "";
      if (isTimeFormat(format)) return writeTime(value, format);
      if (isNumberFormat(format)) return writeNumber(value, format, undefined);
      if (format === "plain") return toPlainText(value);
      return typeof value === "number" ? writeNumber(value, "number", undefined) : autoText(value);
    },
    exact(value, format) {
      if (value === null || value === undefined || isTimeFormat(format) || format === "plain")
        return this.value(value, format);
      const isNumeric = typeof value === "number" || (typeof value === "string" && isNumber(value));
      if (!isNumeric) return this.value(value, format);
      const chosen = isNumberFormat(format) && format !== "compact" ? format : "number";
      const full = writeNumber(value, chosen, allDigits);
      if (chosen !== "percent" && chosen !== "percentValue") return full;
      // "15% (0.15000000000000002)": nobody reads a percentage with this many digits.
      const short = writeNumber(value, chosen, { maximumFractionDigits: 2 });
      return full.length <= short.length + 2 ? full : `${short} (${writeNumber(value, "number", allDigits)})`;
    },
    decimals(value, format, decimals) {
      const digits = Math.min(20, Math.max(0, Math.floor(decimals)));
      const chosen = isNumberFormat(format) ? format : "number";
      return writeNumber(value, chosen, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    },
    ticks(ticks, format) {
      const written = (decimals: number) => ticks.map((tick) => short(tick, format, decimals));
      for (let decimals = 0; decimals < 12; decimals++) {
        if (areExact(ticks, decimals, format)) {
          const texts = written(decimals);
          if (new Set(texts).size === new Set(ticks).size) return texts;
        }
      }
      return written(12);
    },
    short(value, format) {
      const size = Math.abs(value);
      if (format === "percent" || format === "percentValue") return short(value, format, 1);
      // Up to six digits are read as quickly as their short form.
      if (size >= 1000 && size < 100_000) {
        const chosen = isCurrency(format) ? format : "number";
        return writeNumber(value, chosen, { minimumFractionDigits: 0, maximumFractionDigits: 0 });
      }
      return short(value, format, size < 1 ? 3 : size < 100 ? 2 : 1);
    },
    time(time, unit, withYear) {
      const year = withYear ? ({ year: "numeric" } as const) : {};
      switch (unit) {
        case "year":
          return date({ year: "numeric" }).format(time);
        case "month":
          return date({ year: "numeric", month: "short" }).format(time);
        case "day":
          return date({ ...year, month: "short", day: "numeric" }).format(time);
        case "minute":
          return time % 86_400_000 === 0
            ? date({ ...year, month: "short", day: "numeric" }).format(time)
            : date({ hour: "numeric", minute: "2-digit" }).format(time);
        case "second":
          return date({ hour: "numeric", minute: "2-digit", second: "2-digit" }).format(time);
      }
    },
    change: (share) =>
      number({ style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" }).format(share),
  };
}

const offsetAtWall = (wall: WallTime, offsetAt: ZoneOffset): number => offsetAt(wall - offsetAt(wall));

/** As many as Intl takes. */
const allDigits: Intl.NumberFormatOptions = { maximumFractionDigits: 100 };

function optionsOf(format: NumberFormat): Intl.NumberFormatOptions {
  if (isCurrency(format)) return { style: "currency", currency: currencies[format] };
  if (format === "compact") return { notation: "compact", maximumFractionDigits: 1 };
  if (format === "percent") return { style: "percent", maximumFractionDigits: 1 };
  return allDigits;
}

/** Whether every tick is written in full with this number of decimals, in the unit of its size. */
function areExact(ticks: readonly number[], decimals: number, format: ValueFormat): boolean {
  const isCompact = format !== "number" && format !== "percent" && format !== "percentValue";
  const sizes = ticks.map(Math.abs);
  const largest = Math.max(...sizes, 0);
  return sizes.every((size) => {
    const exponent = size === 0 ? 0 : Math.floor(Math.log10(size) + 1e-9);
    const isScientific = size >= 1e15 || (size !== 0 && size < 1e-6);
    const unit = isScientific
      ? 10 ** exponent
      : isCompact && size >= 10_000
        ? 1000 ** Math.floor(exponent / 3)
        : format === "percent"
          ? 0.01
          : 1;
    const shown = (Math.round((size / unit) * 10 ** decimals) / 10 ** decimals) * unit;
    return Math.abs(shown - size) <= largest * 1e-9;
  });
}

function cached<Value>(create: (key: string) => Value): (key: string) => Value {
  const created = new Map<string, Value>();
  return (key) => {
    const known = created.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    created.set(key, value);
    return value;
  };
}

/** A timestamp with a space in place of the T. At midnight, only its date. */
export function autoText(value: unknown): string {
  const text = toPlainText(value);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return text;
  return text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, "").replace("T", " ");
}
