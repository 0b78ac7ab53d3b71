import { isExactDouble, isNotFinite, isNumber, isPlainDecimal, printsSame } from "./exact-numbers.ts";
import { hasForm, isExactTime, isSlashed, toYearFirst } from "./exact-times.ts";
import type { DateOrder } from "./upload-tasks.ts";

/**
 * The types that can be guessed, the best first. Each has a bit, so that the types that hold all values of a column are
 * found with `bit_and`. DECIMAL stands for all of its precisions.
 */
const guesses = [
  { type: "BOOLEAN" },
  { type: "BIGINT" },
  { type: "HUGEINT" },
  { type: "DOUBLE" },
  { type: "DECIMAL" },
  { type: "DATE" },
  { type: "TIMESTAMP" },
  { type: "TIMESTAMP_NS" },
  { type: "TIMESTAMP WITH TIME ZONE" },
  { type: "TIME" },
  { type: "TIME_NS" },
  { type: "DATE", dateOrder: "dmy" },
  { type: "DATE", dateOrder: "mdy" },
  { type: "TIMESTAMP", dateOrder: "dmy" },
  { type: "TIMESTAMP", dateOrder: "mdy" },
  { type: "VARCHAR" },
  { type: "JSON" },
] as const;
type GuessedType = (typeof guesses)[number]["type"];

const bit = (type: GuessedType, dateOrder?: DateOrder): number =>
  1 << guesses.findIndex((one) => one.type === type && ("dateOrder" in one ? one.dateOrder : undefined) === dateOrder);

const bits = (...types: GuessedType[]): number => types.reduce((sum, type) => sum | bit(type), 0);

const maxLength = 64;

/** An expression of SQL: the bits of the types that hold a text exactly. VARCHAR is always one of them. */
export function textBits(text: string): string {
  const when = (condition: string, value: number) => `CASE WHEN ${condition} THEN ${value} ELSE 0 END`;
  const isBigint = printsSame("BIGINT", text);
  const ordered = (order: DateOrder) => {
    const yearFirst = toYearFirst(text, order);
    return [
      when(`${hasForm("DATE", yearFirst)} AND ${isExactTime("DATE", yearFirst)}`, bit("DATE", order)),
      when(isExactTime("TIMESTAMP", yearFirst), bit("TIMESTAMP", order)),
    ];
  };
  const sum = (...parts: string[]) => parts.join(" + ");
  const families = [
    [`length(${text}) > ${maxLength}`, "0"],
    // Most values of most files. At most 15 digits: every type for numbers holds them.
    [`length(${text}) <= 15 AND ${isBigint}`, String(bits("BIGINT", "HUGEINT", "DOUBLE", "DECIMAL"))],
    [
      isNumber(text),
      sum(
        when(`NOT contains(${text}, '.') AND ${isBigint}`, bit("BIGINT")),
        when(`NOT contains(${text}, '.') AND ${printsSame("HUGEINT", text)}`, bit("HUGEINT")),
        when(isExactDouble(text), bit("DOUBLE")),
        when(isPlainDecimal(text), bit("DECIMAL")),
      ),
    ],
    [
      hasForm("TIMESTAMP", text),
      sum(
        when(`length(${text}) = 10 AND ${isExactTime("DATE", text)}`, bit("DATE")),
        when(isExactTime("TIMESTAMP", text), bit("TIMESTAMP")),
        when(isExactTime("TIMESTAMP_NS", text), bit("TIMESTAMP_NS")),
      ),
    ],
    [
      hasForm("TIMESTAMP WITH TIME ZONE", text),
      when(isExactTime("TIMESTAMP WITH TIME ZONE", text), bit("TIMESTAMP WITH TIME ZONE")),
    ],
    [
      hasForm("TIME", text),
      sum(
        when(isExactTime("TIME", text), bit("TIME")),
        when(isExactTime("TIME_NS", text), bit("TIME_NS")),
      ),
    ],
    [isSlashed(text), sum(...ordered("dmy"), ...ordered("mdy"))],
    [`lower(${text}) IN ('true', 'false')`, String(bit("BOOLEAN"))],
    [isNotFinite(text), String(bit("DOUBLE"))],
  ];
  const cases = families.map(([condition, value]) => `WHEN ${condition} THEN ${value}`);
  return `(${bit("VARCHAR")} + CASE ${cases.join(" ")} ELSE 0 END)`;
}

const numbers = bits("BIGINT", "HUGEINT", "DOUBLE", "DECIMAL");

/** The same for a value of JSON and its text. A number in quotes is text, and a number is no text. */
export function jsonBits(json: string, text: string): string {
  const json_ = bit("JSON");
  return `CASE WHEN ${json}[1] = '"' THEN (${textBits(text)} & ${~(numbers | bit("BOOLEAN")) & 0xfffffff}) | ${json_}
    WHEN ${json}[1] IN ('{', '[') THEN ${json_}
    ELSE (${textBits(text)} & ${numbers | bit("BOOLEAN")}) | ${json_} END`;
}

export interface Guess {
  type: GuessedType;
  /** The orders in which all of its dates can be read. Empty if they are written with the year first. */
  dateOrders: DateOrder[];
}

/** The best of the types that hold all values. A column without values is text. */
export function bestGuess(held: number | undefined): Guess {
  const found = guesses.filter((_, index) => held !== undefined && ((held >> index) & 1) === 1);
  const type = found[0]?.type ?? "VARCHAR";
  const dateOrders = found.flatMap((one) => ("dateOrder" in one && one.type === type ? [one.dateOrder] : []));
  return { type, dateOrders: found[0] && "dateOrder" in found[0] ? dateOrders : [] };
}
