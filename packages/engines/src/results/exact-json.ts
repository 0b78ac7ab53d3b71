import type { JsonValue } from "@querybell/domain/results";

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
