import { type OwnSql, sql, sqlJoin } from "../duckdb/own-sql.ts";
import { isNotFinite, isNumber, isWhole, printsSame } from "./exact-numbers.ts";
import { anyDecimal, type ValueType } from "./exact-text.ts";
import { hasForm, isSlashed } from "./exact-times.ts";

/** What a value looks like. Each has a bit, so that `bit_or` finds the looks of all values of a column. */
const looks = {
  /** A whole number of at most 15 digits, as most are: every type for numbers holds it. */
  short: 1,
  whole: 2,
  number: 4,
  notFinite: 8,
  boolean: 16,
  timestamp: 32,
  zoned: 64,
  time: 128,
  slashed: 256,
  text: 512,
  nested: 1024,
} as const;

const numbers = looks.short | looks.whole | looks.number | looks.notFinite;
const texts = looks.timestamp | looks.zoned | looks.time | looks.slashed | looks.text;
const maxLength = 64;

type Look = readonly [condition: OwnSql, bit: number];
const firstOf = (cases: readonly Look[], otherwise: number): OwnSql =>
  sql`CASE ${sqlJoin(
    cases.map(([condition, bit]) => sql`WHEN ${condition} THEN ${bit}`),
    " ",
  )} ELSE ${otherwise} END`;

const numberLooks = (text: OwnSql): Look[] => [
  [sql`length(${text}) <= 15 AND ${printsSame("BIGINT", text)}`, looks.short],
  [isWhole(text), looks.whole],
  [isNumber(text), looks.number],
  [isNotFinite(text), looks.notFinite],
];

const timeLooks = (text: OwnSql): Look[] => [
  [sql`length(${text}) > ${maxLength}`, looks.text],
  [hasForm("TIMESTAMP", text), looks.timestamp],
  [hasForm("TIMESTAMP WITH TIME ZONE", text), looks.zoned],
  [hasForm("TIME", text), looks.time],
  [isSlashed(text), looks.slashed],
];

/** An expression of SQL: the bit of what a text looks like. */
export const lookOfText = (text: OwnSql): OwnSql =>
  firstOf(
    [...numberLooks(text), [sql`lower(${text}) IN ('true', 'false')`, looks.boolean], ...timeLooks(text)],
    looks.text,
  );

/** The same for a value of JSON and its text. A number in quotes is a text. */
export const lookOfJson = (json: OwnSql, text: OwnSql): OwnSql =>
  sql`CASE ${json}[1] WHEN '"' THEN ${firstOf(timeLooks(text), looks.text)} WHEN '{' THEN ${looks.nested} WHEN '[' THEN ${looks.nested}
    WHEN 't' THEN ${looks.boolean} WHEN 'f' THEN ${looks.boolean} ELSE ${firstOf(numberLooks(text), looks.number)} END`;

/** The type of values whose look says it. */
export const certainType = (found: number): string | undefined =>
  ({ [looks.short]: "BIGINT", [looks.boolean]: "BOOLEAN" })[found];

/** The types that may hold all values of a column that look so, the best first. None if only text does. */
export function typesToTry(found: number): ValueType[] {
  const areAll = (allowed: number) => found !== 0 && (found & ~allowed) === 0;
  if (areAll(looks.short | looks.whole)) return asTypes("BIGINT", "HUGEINT", "DOUBLE");
  if (areAll(numbers)) return asTypes("DOUBLE", anyDecimal);
  if (areAll(looks.timestamp)) return asTypes("DATE", "TIMESTAMP", "TIMESTAMP_NS");
  if (areAll(looks.zoned)) return asTypes("TIMESTAMP WITH TIME ZONE");
  if (areAll(looks.time)) return asTypes("TIME", "TIME_NS");
  if (areAll(looks.slashed)) return ["DATE", "TIMESTAMP"].flatMap(inBothOrders);
  return [];
}

export const inBothOrders = (type: string): ValueType[] => [
  { type, dateOrder: "dmy" },
  { type, dateOrder: "mdy" },
];

const asTypes = (...types: string[]): ValueType[] => types.map((type) => ({ type }));

/** Whether VARCHAR holds the values without a doubt about what is a text and what is a number. */
export const areTexts = (found: number): boolean => (found & ~texts) === 0;
