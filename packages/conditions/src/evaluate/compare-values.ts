import type { Field, JsonValue } from "@querybell/domain/results";
import { compareDecimals, parseDecimal } from "@querybell/summaries/decimals";
import { asText, isNumeric } from "@querybell/summaries/select-rows";

/** Years outside 0000 to 9999 are written with a sign and six digits; times of zones end with Z. */
const dateForm = /^([+-]\d{6}|\d{4})-(\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?)?Z?$/;

/** One text for each moment, in the order of the moments. Null if it is no date. */
function sortableDate(text: string): string | null {
  if (text === "infinity") return "3";
  if (text === "-infinity") return "0";
  const [found, year = "", day = "", time = "00:00:00", fraction = ""] = dateForm.exec(text) ?? [];
  if (found === undefined) return null;
  const number = Number(year);
  // Years before zero count downwards, so they are ordered by what is missing to a million.
  const digits = String(number < 0 ? 1_000_000 + number : number).padStart(7, "0");
  const trimmed = fraction.replace(/(?<!0)0+$/, "");
  return `${number < 0 ? "1" : "2"} ${digits}-${day}T${time}.${trimmed}`;
}

/**
 * Negative, zero or positive, as the first is less than, equal to or more than the second, by the type of the column:
 * numbers exactly, dates by time, everything else as text. Null if one of them is empty or not of the type.
 */
export function compareValues(one: JsonValue, other: JsonValue, type: Field["type"]): number | null {
  if (one === null || other === null) return null;
  if (isNumeric(type)) {
    const [first, second] = [parseDecimal(one), parseDecimal(other)];
    return first && second ? compareDecimals(first, second) : null;
  }
  if (type === "json" || type === "binary") return asText(one) === asText(other) ? 0 : null;
  const isDate = type === "date" || type === "timestamp";
  const [first, second] = [asText(one), asText(other)].map((text) => (isDate ? sortableDate(text) : text));
  if (first === null || second === null || first === undefined || second === undefined) return null;
  return first < second ? -1 : first > second ? 1 : 0;
}
