/** A number as it is written: `units` of 10 to the power of `-scale`, which is also how it is rounded. */
export interface WrittenNumber {
  units: bigint;
  scale: number;
  sign: "+" | "-" | null;
  unit: "percent" | "times" | null;
}

const exponents: Record<string, number> = {
  ...{ k: 3, K: 3, thousand: 3, Tsd: 3 },
  ...{ M: 6, mn: 6, million: 6, millions: 6, Mio: 6, Million: 6, Millionen: 6, millones: 6 },
  ...{ B: 9, bn: 9, billion: 9, billions: 9, Mrd: 9, Milliarde: 9, Milliarden: 9, milliard: 9, milliards: 9 },
  ...{ trillion: 12, trillions: 12 },
};
const percents = new Set(["%", "percent", "Prozent", "pct"]);

/** Whether a word belongs to the number before it. */
export const isUnit = (word: string): boolean => Object.hasOwn(exponents, word) || percents.has(word);

const numberForm = /^[≈~]?([+\-−]?)\p{Sc}?([\d.,]+)\p{Sc}?(\p{L}+|%|×)?(?: (\p{L}+|%))?$/u;
const scientificForm = /^[≈~]?([+\-−]?)(\d(?:\.\d+)?) × 10\^(-?\d{1,3})$/;

/** Parses a number with its unit. Null if it is not a number or is ambiguous. */
export function parseWrittenNumber(text: string): WrittenNumber | null {
  const scientific = scientificForm.exec(text);
  if (scientific) {
    const [, sign = "", mantissa = "", exponent = "0"] = scientific;
    return shifted(mantissa, Number(exponent), { sign: toSign(sign), unit: null });
  }
  const [found, sign = "", digits = "", attached, following] = numberForm.exec(text) ?? [];
  if (
    found === undefined ||
    (attached !== undefined && following !== undefined && !percents.has(following))
  ) {
    return null;
  }
  const plain = readDigits(digits);
  if (plain === null) return null;
  let exponent = 0;
  let unit: WrittenNumber["unit"] = null;
  for (const word of [attached, following]) {
    if (word === undefined) continue;
    if (percents.has(word)) unit = "percent";
    else if (word === "x" || word === "×") unit = "times";
    else if (Object.hasOwn(exponents, word)) exponent = exponents[word] ?? 0;
    else return null;
  }
  return shifted(plain, exponent, { sign: toSign(sign), unit });
}

const toSign = (text: string): WrittenNumber["sign"] => (text === "" ? null : text === "+" ? "+" : "-");

function shifted(
  plain: string,
  exponent: number,
  { sign, unit }: Pick<WrittenNumber, "sign" | "unit">,
): WrittenNumber {
  const [whole = "", fraction = ""] = plain.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length - exponent, sign, unit };
}

/** Digits with a point, without groups: "1,234.5" and "1.234.567,5" have groups, "2,36" a decimal comma. */
function readDigits(text: string): string | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return text;
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return text.replaceAll(",", "");
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) {
    return text.replaceAll(".", "").replace(",", ".");
  }
  return /^\d+,\d+$/.test(text) ? text.replace(",", ".") : null;
}
