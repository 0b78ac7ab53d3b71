import type { JsonValue } from "@querybell/domain/results";

export const integerValue = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value);

export const numberValue = (value: number): number | string =>
  Number.isFinite(value) ? value + 0 : String(value);

/** The shortest decimal that is this single-precision number: 0.1, not 0.10000000149011612. */
export function singleValue(value: number): number | string {
  for (let digits = 6; digits < 9 && Number.isFinite(value); digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter + 0;
  }
  return numberValue(value);
}

export const binaryValue = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** Own properties only, `__proto__` included. */
export function objectValue(entries: Iterable<readonly [string, JsonValue]>): { [key: string]: JsonValue } {
  const object: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// Up to fifteen digits and a small exponent always survive a double; most JSON has nothing else.
const mayLoseDigits = /[\d.]{16}|\d[eE]/;

/** Parses stored JSON; a number that a double cannot hold becomes a string of its digits. */
export function parseExactJson(text: string): JsonValue {
  if (!mayLoseDigits.test(text)) return JSON.parse(text);
  const exact = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') || isExact(token) ? token : `"${token}"`,
  );
  return JSON.parse(exact);
}

const isExact = (digits: string) => normalize(digits) === normalize(String(Number(digits)));

/** One spelling for each decimal number: its digits without zeros at the ends, and its exponent. */
function normalize(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return text.includes("Infinity") ? text : "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
