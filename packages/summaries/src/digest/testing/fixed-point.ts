import type { JsonValue } from "@querybell/domain/results";

// Wide enough for the smallest double to be a whole number of units.
const places = 340;

/** A finite number as a whole count of tiny units, which needs no care with scales; undefined for others. */
export function fixedPoint(cell: JsonValue | undefined): bigint | undefined {
  const text = typeof cell === "number" ? String(cell) : typeof cell === "string" ? cell : "";
  if (!/^-?\d/.test(text)) return undefined;
  const [mantissa = "", exponent = "0"] = text.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction + "0".repeat(places + Number(exponent) - fraction.length));
}
