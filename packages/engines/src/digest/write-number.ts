import { type Decimal, power, round } from "./decimals.ts";

const exactFraction = 4;
const significantDigits = 6;
/** Longer numbers say nothing to a reader. */
const maxLength = 40;

/**
 * The number as people read it: 1,234.50. A fraction of more than four digits is rounded to six significant
 * digits, never before the point, and marked: ≈0.333333. What would still be too long to be read is rounded to
 * six digits in all: ≈1.23457 × 10^28.
 */
export function writeNumber(value: Decimal): string {
  const exact = value.scale > exactFraction ? withoutZeros(value) : value;
  const fraction = Math.min(exact.scale, Math.max(0, significantDigits - wholeDigits(exact)));
  const isRounded = exact.scale > Math.max(exactFraction, fraction);
  const text = grouped(isRounded ? withoutZeros(round(exact, fraction)) : exact);
  if (text.length > maxLength) return powerOfTen(exact);
  return isRounded ? `≈${text}` : text;
}

/** Negative for what begins so many places behind the point. */
const wholeDigits = ({ units, scale }: Decimal): number => sizeOf(units).length - scale;

const sizeOf = (units: bigint): string => String(units).replace("-", "");

function powerOfTen(value: Decimal): string {
  const exponent = wholeDigits(value) - 1;
  const one = { units: value.units, scale: sizeOf(value.units).length - 1 };
  const rounded = round(one, Math.min(one.scale, significantDigits - 1));
  const isRounded = rounded.units * power(one.scale - rounded.scale) !== one.units;
  // 9.999999 is 10.
  const carried = wholeDigits(rounded) > 1 ? 1 : 0;
  const mantissa = withoutZeros({ units: rounded.units, scale: rounded.scale + carried });
  return `${isRounded ? "≈" : ""}${grouped(mantissa)} × 10^${exponent + carried}`;
}

function withoutZeros(value: Decimal): Decimal {
  const zeros = /(?<!0)0+$/.exec(String(value.units))?.[0].length ?? 0;
  const dropped = value.units === 0n ? value.scale : Math.min(zeros, value.scale);
  return { units: value.units / power(dropped), scale: value.scale - dropped };
}

function grouped({ units, scale }: Decimal): string {
  const digits = sizeOf(units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const whole = inThousands(digits.slice(0, point));
  return `${units < 0n ? "-" : ""}${whole}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
}

function inThousands(digits: string): string {
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(",");
}

export const writeCount = (count: number): string => grouped({ units: BigInt(count), scale: 0 });
