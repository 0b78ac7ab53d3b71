import { type Decimal, power, round } from "./decimals.ts";

const exactFraction = 4;
const significantDigits = 6;
/** Longer numbers say nothing to a reader. */
const maxLength = 40;

/**
 * The number as people read it: 1,234.50. A fraction of more than four digits is rounded to six significant
 * digits, never before the point, and marked: ≈0.333333. Null for a number too long to be read.
 */
export function writeNumber(value: Decimal): string | null {
  const exact = value.scale > exactFraction ? withoutZeros(value) : value;
  const isRounded = exact.scale > Math.max(exactFraction, fractionDigits(exact));
  const text = grouped(isRounded ? withoutZeros(round(exact, fractionDigits(exact))) : exact);
  if (text.length > maxLength) return null;
  return isRounded ? `≈${text}` : text;
}

const sizeOf = (units: bigint): bigint => (units < 0n ? -units : units);

function fractionDigits({ units, scale }: Decimal): number {
  const wholeDigits = String(sizeOf(units)).length - scale;
  return Math.min(scale, Math.max(0, significantDigits - wholeDigits));
}

function withoutZeros(value: Decimal): Decimal {
  const zeros = /0*$/.exec(String(value.units))?.[0].length ?? 0;
  const dropped = value.units === 0n ? value.scale : Math.min(zeros, value.scale);
  return { units: value.units / power(dropped), scale: value.scale - dropped };
}

function grouped({ units, scale }: Decimal): string {
  const digits = String(sizeOf(units)).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const whole = digits.slice(0, point).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return `${units < 0n ? "-" : ""}${whole}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
}

export const writeCount = (count: number): string => grouped({ units: BigInt(count), scale: 0 });
