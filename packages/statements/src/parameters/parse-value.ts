import type { Clock, ParameterType, ParameterValue } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { maxListItems } from "@querybell/domain/parameter-limits";
import { parseRelativeDate, relativeDateHint } from "./relative-date.ts";

/** The parameter of a value, and the clock for relative dates. */
interface ValueContext {
  name: string;
  type: ParameterType;
  clock: Clock;
}

type Scalar = string | number | boolean;

const maxTextLength = 100_000;

/**
 * Converts the input of a caller to the form that is stored with a run, or refuses it with `invalid_parameter_value`.
 * Strings are parsed by type too, so that defaults and form fields are parsed alike.
 */
export function parseParameterValue(context: ValueContext, input: unknown): ParameterValue {
  if (!context.type.endsWith("[]")) return parseScalar(context, input);
  if (!Array.isArray(input)) return refuse(context, "takes a list of values");
  if (input.length > maxListItems) return refuse(context, `takes at most ${maxListItems} values`);
  return input.map((item) => parseScalar(context, item));
}

/** One item of a list, or the value of a parameter that is no list. */
export const parseItem = (context: ValueContext, text: string): Scalar => parseScalar(context, text);

/** A default is one string: a list is written as a JSON array, or as values with commas between. */
export function parseDefaultValue(context: ValueContext, text: string): ParameterValue {
  if (!context.type.endsWith("[]")) return parseParameterValue(context, text);
  return parseParameterValue(context, splitList(text));
}

function splitList(text: string): unknown {
  if (text.trim() === "") return [];
  if (text.trimStart().startsWith("[")) {
    try {
      return JSON.parse(text);
    } catch {
      // Not JSON after all: the bracket belongs to the first value.
    }
  }
  return text.split(",").map((item) => item.trim());
}

function parseScalar(context: ValueContext, input: unknown): Scalar {
  switch (context.type) {
    case "string":
    case "string[]":
      return parseText(context, input);
    case "integer":
    case "integer[]":
      return parseInteger(context, input);
    case "number":
    case "number[]":
      return parseNumber(context, input);
    case "boolean":
      if (input === true || input === "true") return true;
      return input === false || input === "false" ? false : refuse(context, "takes true or false");
    case "date":
      return parseDate(context, input);
    case "timestamp":
      return parseTimestamp(context, input);
  }
}

function parseText(context: ValueContext, input: unknown): string {
  if (typeof input !== "string") return refuse(context, "takes text");
  if (input.includes("\0"))
    return refuse(context, "takes text without NUL characters: databases refuse them");
  if (!input.isWellFormed()) return refuse(context, "takes text of whole Unicode characters");
  if (input.length > maxTextLength) return refuse(context, `takes at most ${maxTextLength} characters`);
  return input;
}

function parseInteger(context: ValueContext, input: unknown): string | number {
  const expected = "takes a whole number of at most 64 bits, such as 42";
  if (typeof input === "number") {
    if (Number.isSafeInteger(input)) return input + 0;
    return refuse(context, `${expected}; send one beyond 2^53 as a string of digits`);
  }
  if (typeof input !== "string" || !/^\s*[+-]?\d{1,19}\s*$/.test(input)) return refuse(context, expected);
  const value = BigInt(input.trim().replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) return refuse(context, expected);
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

const numberPattern = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

function parseNumber(context: ValueContext, input: unknown): number {
  const value = typeof input === "string" && numberPattern.test(input) ? Number(input) : input;
  // Adding 0 makes -0 a plain 0: no database shows the difference, and numeric has none.
  return typeof value === "number" && Number.isFinite(value)
    ? value + 0
    : refuse(context, "takes a finite number, such as 4.2");
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;

function parseDate(context: ValueContext, input: unknown): string {
  const text = typeof input === "string" ? input.trim() : "";
  if (datePattern.test(text) && isDay(text)) return text;
  const relative = parseRelativeDate(text, context.clock.now());
  if (relative && isWithinFourDigits(relative)) return relative.toISOString().slice(0, 10);
  return refuse(context, `takes a date such as 2024-01-31, or a relative one: ${relativeDateHint}`);
}

const timestampPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

function parseTimestamp(context: ValueContext, input: unknown): string {
  const text = typeof input === "string" ? input.trim() : "";
  const [matched, date = "", minutes = "00:00", seconds = "00", fraction = "", zone = "Z"] =
    timestampPattern.exec(text) ?? [];
  if (matched && isDay(date)) {
    const offset = /^z$/i.test(zone)
      ? "Z"
      : zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, h, m) => `${h}:${m ?? "00"}`);
    const moment = new Date(`${date}T${minutes}:${seconds}${offset}`);
    if (isWithinFourDigits(moment)) return utcText(moment, fraction);
  }
  const relative = parseRelativeDate(text, context.clock.now());
  if (relative && isWithinFourDigits(relative)) {
    return utcText(relative, String(relative.getUTCMilliseconds()).padStart(3, "0"));
  }
  return refuse(
    context,
    `takes a time such as 2024-01-31T10:00:00Z (UTC where no zone is given), or a relative one: ${relativeDateHint}`,
  );
}

const utcText = (moment: Date, fraction: string) => {
  const trimmed = fraction.replace(/(?<!0)0+$/, "");
  return `${moment.toISOString().slice(0, 19)}${trimmed === "" ? "" : `.${trimmed}`}Z`;
};

// Date turns 31 February into a day in March, so a date exists only if its parts are unchanged.
const isDay = (text: string) => {
  const moment = new Date(`${text}T00:00:00Z`);
  return isWithinFourDigits(moment) && moment.toISOString().startsWith(text);
};

const isWithinFourDigits = (moment: Date) =>
  !Number.isNaN(moment.getTime()) && moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999;

function refuse({ name, type }: ValueContext, expectation: string): never {
  throw new AppError("invalid_parameter_value", `{{${name}}} (${type}) ${expectation}.`, {
    errors: [{ path: `parameterValues.${name}`, message: expectation }],
  });
}
