import type { JsonValue } from "@querybell/domain/results";

/** A number with all its digits: `units` of 10 to the power of `-scale`. */
export interface Decimal {
  units: bigint;
  scale: number;
}

export const zero: Decimal = { units: 0n, scale: 0 };

const form = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Parses a cell of a numeric column. A double becomes its shortest decimal. Null if it is not finite. */
export function parseDecimal(cell: JsonValue | undefined): Decimal | null {
  if (typeof cell === "number" && Number.isSafeInteger(cell)) return { units: BigInt(cell), scale: 0 };
  if (typeof cell !== "number" && typeof cell !== "string") return null;
  const [found, sign, whole = "", fraction = "", exponent = "0"] = form.exec(String(cell)) ?? [];
  if (found === undefined) return null;
  const units = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * power(-scale), scale: 0 };
}

export const power = (exponent: number): bigint => 10n ** BigInt(exponent);

const unitsAt = ({ units, scale }: Decimal, wanted: number): bigint =>
  scale === wanted ? units : units * power(wanted - scale);

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) + unitsAt(other, scale), scale };
}

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });

const subtract = (one: Decimal, other: Decimal): Decimal => add(one, negate(other));

/** How far two numbers are apart. */
export function distance(one: Decimal, other: Decimal): Decimal {
  const { units, scale } = subtract(one, other);
  return { units: units < 0n ? -units : units, scale };
}

/** Negative, zero or positive, as the first is less than, equal to or more than the second. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const { units } = subtract(one, other);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

/** All its digits, without zeros at the end of the fraction. */
export function toDecimalText(decimal: Decimal): string {
  let { units, scale } = decimal;
  for (; scale > 0 && units % 10n === 0n; scale--) units /= 10n;
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
}
