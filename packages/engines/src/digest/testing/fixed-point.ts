import type { JsonValue } from "../../results/json-value.ts";

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

const size = (value: bigint): bigint => (value < 0n ? -value : value);

/**
 * Whether a digest may write a number so: with all its digits, or after ≈ to six significant ones; as a power of
 * ten only where all the digits would be too many.
 */
export function isWrittenAs(written: string, value: bigint): boolean {
  const [, mantissa = "", exponent] = form.exec(written) ?? [];
  const shown = fixedPoint(`${mantissa.replaceAll(",", "")}e${exponent ?? "0"}`);
  if (shown === undefined) return false;
  if (exponent !== undefined && !(/^-?[1-9](\.|$)/.test(mantissa) && Math.abs(Number(exponent)) >= 20)) {
    return false;
  }
  return written.startsWith("≈") ? size(shown - value) * 1_000_000n <= size(value) * 5n : shown === value;
}

const form = /^≈?(-?\d{1,3}(?:,\d{3})*(?:\.\d+)?)(?: × 10\^(-?\d+))?$/;

/** Whether a percentage is this change from this base, to one digit after the point. */
export function isPercentOf(written: string, change: bigint, base: bigint): boolean {
  const [whole = "", tenth = "0"] = written.replaceAll(",", "").split(".");
  const tenths = BigInt(whole + tenth);
  return base !== 0n && size(tenths * size(base) - 1000n * size(change)) * 2n <= size(base);
}
