import { isNumber } from "./formats.ts";
import type { Total } from "./table-settings.ts";

/** The digits of a number without a point, and how many of them are decimals. */
interface Scaled {
  digits: bigint;
  decimals: number;
}

const maxDecimals = 400;

/** Undefined for what is no number. A number with an exponent is written out. */
function toScaled(value: unknown): Scaled | undefined {
  const text =
    typeof value === "number" && Number.isFinite(value)
      ? String(value)
      : typeof value === "string"
        ? value
        : "";
  if (!isNumber(text)) return undefined;
  const [mantissa = "", exponentText = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const exponent = Number(exponentText);
  const decimals = fraction.length - exponent;
  if (Math.abs(decimals) > maxDecimals) return undefined;
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
}

const raise = ({ digits, decimals }: Scaled, to: number): bigint => digits * 10n ** BigInt(to - decimals);

function toText({ digits, decimals }: Scaled): string {
  if (decimals === 0) return String(digits);
  const sign = digits < 0n ? "-" : "";
  const padded = String(digits < 0n ? -digits : digits).padStart(decimals + 1, "0");
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}

/** Adds up and compares numbers with every digit, also those that a number cannot hold. */
export class ExactTotal {
  #sum: Scaled = { digits: 0n, decimals: 0 };
  #least: Scaled | undefined;
  #greatest: Scaled | undefined;
  #count = 0;
  #numbers = 0;

  add(value: unknown): void {
    if (value === null || value === undefined) return;
    this.#count++;
    const scaled = toScaled(value);
    if (!scaled) return;
    this.#numbers++;
    const decimals = Math.max(this.#sum.decimals, scaled.decimals);
    this.#sum = { digits: raise(this.#sum, decimals) + raise(scaled, decimals), decimals };
    if (!this.#least || isLess(scaled, this.#least)) this.#least = scaled;
    if (!this.#greatest || isLess(this.#greatest, scaled)) this.#greatest = scaled;
  }

  /** As text with every digit; a count is a number. Null without numbers. */
  read(total: Total): string | number | null {
    if (total === "count") return this.#count;
    if (this.#numbers === 0) return null;
    switch (total) {
      case "sum":
        return toText(this.#sum);
      case "average":
        return averageOf(this.#sum, this.#numbers);
      case "minimum":
        return this.#least ? toText(this.#least) : null;
      case "maximum":
        return this.#greatest ? toText(this.#greatest) : null;
    }
  }
}

const isLess = (one: Scaled, other: Scaled): boolean => {
  const decimals = Math.max(one.decimals, other.decimals);
  return raise(one, decimals) < raise(other, decimals);
};

/** Rounded to four more decimals than the numbers have. */
function averageOf(sum: Scaled, count: number): string {
  const decimals = sum.decimals + 4;
  const doubled = (raise(sum, decimals) * 2n) / BigInt(count);
  const digits = (doubled + (doubled < 0n ? -1n : 1n)) / 2n;
  const text = toText({ digits, decimals });
  let end = text.length;
  while (text[end - 1] === "0") end--;
  return text.slice(0, text[end - 1] === "." ? end - 1 : end);
}
