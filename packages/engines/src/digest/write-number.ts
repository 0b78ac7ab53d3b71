import { absolute, type Decimal, power, round } from "./decimals.ts";

const significantDigits = 3;
const units = [
  { exponent: 12, unit: " trillion" },
  { exponent: 9, unit: " bn" },
  { exponent: 6, unit: " M" },
];

/**
 * A number for people who read it on a phone: 2.36 M, 43,211, 301.55, 0.333. It is right to the digits that are
 * written, and never rounded to zero.
 */
export function writeShort(value: Decimal): string {
  if (value.units === 0n) return "0";
  const digits = wholeDigits(value);
  if (digits > 15 || digits < -5) return powerOfTen(value);
  for (const { exponent, unit } of units) {
    const scaled = toSignificant({ units: value.units, scale: value.scale + exponent });
    // 999,999,999 is 1 bn when it is rounded, but 999,999 is better told as it is.
    if (digits > 6 && wholeDigits(scaled) > 0) return `${grouped(scaled)}${unit}`;
  }
  if (digits > 3) return grouped(withoutZeros(round(value, 0)));
  const short = value.scale > 2 ? round(value, 2) : value;
  return grouped(digits > 0 ? withoutWholeCents(short) : toSignificant(value));
}

/** "4.2", or "12" where a tenth says nothing. */
export const writePercent = (percent: Decimal): string => grouped(withoutZeros(absolute(percent)));

export const writeCount = (count: number): string => grouped({ units: BigInt(count), scale: 0 });

/** How many digits it has before the point. Zero or negative for what begins behind it. */
const wholeDigits = ({ units, scale }: Decimal): number => sizeOf(units).length - scale;

const sizeOf = (units: bigint): string => String(units).replace("-", "");

const toSignificant = (value: Decimal): Decimal =>
  withoutZeros(round(value, Math.max(significantDigits - wholeDigits(value), 0)));

function powerOfTen(value: Decimal): string {
  const one = { units: value.units, scale: sizeOf(value.units).length - 1 };
  const rounded = round(one, significantDigits - 1);
  // 9.999 is 10.
  const carried = wholeDigits(rounded) > 1 ? 1 : 0;
  const mantissa = withoutZeros({ units: rounded.units, scale: rounded.scale + carried });
  return `${grouped(mantissa)} × 10^${wholeDigits(value) - 1 + carried}`;
}

/** 9.90 stays, 420.00 becomes 420. */
function withoutWholeCents(value: Decimal): Decimal {
  const short = withoutZeros(value);
  return short.scale === 0 ? short : value;
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
