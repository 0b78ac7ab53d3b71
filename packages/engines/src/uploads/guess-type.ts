import { sql, sqlJoin, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { anyDecimal, hasForm, isNotFinite, isNumber, isSlashed, type ValueType } from "./exact-values.ts";

/** What a value looks like. Each has a bit, so that `bit_or` finds the looks of all values of a column. */
const looks = {
  /** A whole number of at most 15 digits, as most are: every type for numbers holds it. */
  short: 1,
  whole: 2,
  decimal: 4,
  /** What DECIMAL cannot hold: an exponent, a negative zero, an infinity. */
  float: 8,
  boolean: 16,
  date: 32,
  timestamp: 64,
  nanoTimestamp: 128,
  zoned: 256,
  time: 512,
  nanoTime: 1024,
  slashedDate: 2048,
  slashedTimestamp: 4096,
  text: 8192,
  nested: 16384,
} as const;

const decimals = looks.short | looks.whole | looks.decimal;
const numbers = decimals | looks.float;
const timestamps = looks.date | looks.timestamp | looks.nanoTimestamp;
const times = looks.time | looks.nanoTime;
const slashed = looks.slashedDate | looks.slashedTimestamp;
const texts = timestamps | looks.zoned | times | slashed | looks.text;
const longestWord = "-Infinity".length;

type Look = readonly [condition: TrustedSql, bit: number | TrustedSql];
const firstOf = (cases: readonly Look[], otherwise: number): TrustedSql =>
  sql`CASE ${sqlJoin(
    cases.map(([condition, bit]) => sql`WHEN ${condition} THEN ${bit}`),
    " ",
  )} ELSE ${otherwise} END`;

const numberLooks = (text: TrustedSql): Look[] => {
  const kinds: Look[] = [
    [sql`contains(lower(${text}), 'e')`, looks.float],
    [sql`starts_with(${text}, '-0') AND regexp_full_match(${text}, '-[0.]+')`, looks.float],
    [sql`contains(${text}, '.')`, looks.decimal],
    [sql`length(${text}) > 15`, looks.whole],
  ];
  return [[isNumber(text), firstOf(kinds, looks.short)]];
};

const slashedLooks = (text: TrustedSql): Look[] => [
  [isSlashed("DATE", text), looks.slashedDate],
  [isSlashed("TIMESTAMP", text), looks.slashedTimestamp],
];

/** The looks of texts that only dates and times can have, told by the places of their separators. */
function separatedLooks(text: TrustedSql): Look[] {
  const yearFirst: Look[] = [
    [hasForm("DATE", text), looks.date],
    [hasForm("TIMESTAMP", text), looks.timestamp],
    [hasForm("TIMESTAMP WITH TIME ZONE", text), looks.zoned],
    [hasForm("TIMESTAMP_NS", text), looks.nanoTimestamp],
  ];
  const times: Look[] = [
    [hasForm("TIME", text), looks.time],
    [hasForm("TIME_NS", text), looks.nanoTime],
  ];
  return [
    [sql`${text}[5] = '-' AND ${text}[8] = '-'`, firstOf(yearFirst, looks.text)],
    [sql`${text}[3] = ':'`, firstOf(times, looks.text)],
  ];
}

/** Whether a text begins with a digit, a minus sign, a point or a slash, as numbers and dates do. */
const beginsLikeNumber = (text: TrustedSql): TrustedSql => sql`ascii(${text}) BETWEEN 45 AND 57`;

/**
 * A SQL expression: the bit of what a text looks like. The cheap tests come first: 2024-01-31 is not a
 * number.
 */
export function lookOfText(text: TrustedSql): TrustedSql {
  const words: Look[] = [
    [sql`lower(${text}) IN ('true', 'false')`, looks.boolean],
    [isNotFinite(text), looks.float],
  ];
  const withDigits: Look[] = [
    ...numberLooks(text),
    ...slashedLooks(text),
    // -inf
    [isNotFinite(text), looks.float],
  ];
  return firstOf(
    [
      ...separatedLooks(text),
      [beginsLikeNumber(text), firstOf(withDigits, looks.text)],
      [sql`length(${text}) <= ${longestWord}`, firstOf(words, looks.text)],
    ],
    looks.text,
  );
}

/** The same for a value of JSON and its text. A number in quotes is a text. */
export function lookOfJson(json: TrustedSql, text: TrustedSql): TrustedSql {
  const ofText = firstOf(
    [...separatedLooks(text), [beginsLikeNumber(text), firstOf(slashedLooks(text), looks.text)]],
    looks.text,
  );
  return sql`CASE ${json}[1] WHEN '"' THEN ${ofText} WHEN '{' THEN ${looks.nested} WHEN '[' THEN ${looks.nested}
    WHEN 't' THEN ${looks.boolean} WHEN 'f' THEN ${looks.boolean} ELSE ${firstOf(numberLooks(text), looks.float)} END`;
}

/** The type, if the looks of the values decide it. */
const certainType = (found: number): string | undefined =>
  ({ [looks.short]: "BIGINT", [looks.boolean]: "BOOLEAN" })[found];

/** The types that may hold all values with these looks, the best first. None if only text does. */
export function typesToTry(found: number): ValueType[] {
  const areAll = (allowed: number) => found !== 0 && (found & ~allowed) === 0;
  if (certainType(found) !== undefined) return [];
  if (areAll(looks.short | looks.whole)) return asTypes("BIGINT", "HUGEINT", "DOUBLE");
  if (areAll(numbers)) return asTypes("DOUBLE");
  if (areAll(looks.date)) return asTypes("DATE");
  if (areAll(looks.date | looks.timestamp)) return asTypes("TIMESTAMP");
  if (areAll(timestamps)) return asTypes("TIMESTAMP_NS");
  if (areAll(looks.zoned)) return asTypes("TIMESTAMP WITH TIME ZONE");
  if (areAll(looks.time)) return asTypes("TIME");
  if (areAll(times)) return asTypes("TIME_NS");
  if (areAll(looks.slashedDate)) return inBothOrders("DATE");
  if (areAll(slashed)) return inBothOrders("TIMESTAMP");
  return [];
}

export const inBothOrders = (type: string): ValueType[] => [
  { type, dateOrder: "dmy" },
  { type, dateOrder: "mdy" },
];

const asTypes = (...types: string[]): ValueType[] => types.map((type) => ({ type }));

/** Whether no further value can change the type: text holds all of CSV, and JSON holds all of JSON lines. */
export const isFinal = (found: number, textType: "VARCHAR" | "JSON"): boolean =>
  textType === "VARCHAR"
    ? (found & looks.text) !== 0
    : (found & looks.nested) !== 0 || ((found & texts) !== 0 && (found & ~texts) !== 0);

/** The type of a column with these looks, if none of the types to try holds all of its values. */
export function fallbackType(found: number, textType: "VARCHAR" | "JSON"): string {
  const certain = certainType(found);
  if (certain !== undefined) return certain;
  if ((found & looks.decimal) !== 0 && (found & ~decimals) === 0) return anyDecimal;
  return (found & ~texts) === 0 ? "VARCHAR" : textType;
}
