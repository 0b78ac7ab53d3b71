import { monthNamed, weekdayNamed } from "./written-date.ts";
import { isUnit } from "./written-number.ts";

/** Something in a sentence that must be declared. */
export interface Token {
  start: number;
  end: number;
  text: string;
  kind: "number" | "date" | "number_word";
}

interface Word {
  start: number;
  end: number;
  text: string;
  /** The text between the previous word and this one. */
  gap: string;
}

/** Numbers as words. They cannot be checked, so they must be written in digits. */
const numberWords = new Set(
  (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands " +
    "million millions billion billions trillion dozen dozens half halved halves twice thrice double doubled doubles " +
    "doubling triple tripled quadruple quadrupled tenfold twofold threefold both " +
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend millionen dutzend " +
    "hälfte halbiert doppelt doppelte verdoppelt verdreifacht beide " +
    "deux trois quatre cinq huit dix douze vingt cent mille moitié doublé triplé " +
    "dos tres cuatro cinco siete ocho nueve diez doce veinte cien cientos mil mitad doble triple"
  ).split(" "),
);

/** Finds all numbers, dates and numbers in words. */
export function findTokens(text: string): Token[] {
  const words = wordsOf(text);
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const date = dateLength(words, at);
    const length = date || numberLength(words, at) || 1;
    const [first, last] = [words[at], words[at + length - 1]];
    const word = first?.text ?? "";
    const kind =
      date > 0 ? "date" : /\p{N}/u.test(word) ? "number" : isNumberWord(word) ? "number_word" : null;
    if (first && last && kind) {
      tokens.push({
        start: first.start,
        end: last.end,
        text: normalize(text.slice(first.start, last.end)),
        kind,
      });
    }
    at += length;
  }
  return tokens;
}

export const normalize = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const isNumberWord = (word: string): boolean =>
  word
    .toLowerCase()
    .split(/[-–—/'’]/)
    .some((part) => numberWords.has(part));

/** Words without the punctuation around them. */
function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: chunk, index } of text.matchAll(/[^\s"“”„«»()[\]{}<>|]+/gu)) {
    const leading = /^[.,:;!?…'’‘*_`–—]+/u.exec(chunk)?.[0].length ?? 0;
    let end = chunk.length;
    while (end > leading && /[.,:;!?…'’‘*_`–—]/u.test(chunk.charAt(end - 1))) end--;
    if (end === leading) continue;
    const start = index + leading;
    const gap = text.slice(words.at(-1)?.end ?? 0, start);
    words.push({ start, end: index + end, text: chunk.slice(leading, end), gap });
  }
  return words;
}

/** How many words from here are one date: 1 October 2026, October 1, 2026, October 2026, Q4 2026, 2026-10-01. */
function dateLength(words: Word[], at: number): number {
  // The parts of a date are separated by spaces; day and year also by a comma.
  const text = (offset: number, gap = /^\s+$/) => {
    const word = words[at + offset];
    return word && (offset === 0 || gap.test(word.gap)) ? word.text : "";
  };
  const isYear = (offset: number, gap?: RegExp) => /^\d{4}$/.test(text(offset, gap));
  const isDay = (offset: number) => /^\d{1,2}(?:st|nd|rd|th)?$/.test(text(offset));
  const isMonth = (offset: number) => monthNamed(text(offset)) !== undefined;
  if (/^\d{4}-\d{2}(?:-\d{2})?(?:T[\d:.]+Z?)?$/.test(text(0)) || /^\d{1,2}:\d{2}(?::\d{2})?$/.test(text(0)))
    return 1;
  if (weekdayNamed(text(0)) !== undefined) {
    const rest = dateLength(words, at + 1);
    return 1 + (rest > 0 && (isDay(1) || isMonth(1)) ? rest : 0);
  }
  if (/^Q[1-4]$/.test(text(0))) return isYear(1) ? 2 : 1;
  if (isDay(0) && isMonth(1)) return isYear(2) ? 3 : 2;
  if (!isMonth(0)) return 0;
  if (isYear(1)) return 2;
  return isDay(1) ? (isYear(2, /^,?\s+$/) ? 3 : 2) : 1;
}

/** How many words from here are one number with its unit: 2.36 M, 4 %, 1.2 × 10^28. */
function numberLength(words: Word[], at: number): number {
  const text = (offset: number) => {
    const word = words[at + offset];
    return word && (offset === 0 || /^\s+$/.test(word.gap)) ? word.text : "";
  };
  if (!/\p{N}/u.test(text(0))) return 0;
  if (text(1) === "×" && /^10\^-?\d+$/.test(text(2))) return 3;
  return isUnit(text(1)) && /[\d.,]$/.test(text(0)) ? 2 : 1;
}
