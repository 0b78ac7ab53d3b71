/** An invalid cron expression. The message says what to write instead. */
export class CronError extends Error {}

export interface CronField {
  name: string;
  min: number;
  max: number;
  /** Names for the numbers from `min` on. */
  words: readonly string[];
}

const forms = (min: number) => `a list (${min},${min + 2}), a range (${min}-${min + 4}), a step (*/2) or *`;

/** Parses one field to its numbers, at least one. */
export function parseCronField(field: CronField, text: string): Set<number> {
  return new Set(text.split(",").flatMap((part) => numbersOf(field, part)));
}

function numbersOf(field: CronField, part: string): number[] {
  const [range = "", step, ...rest] = part.split("/");
  if (rest.length > 0) throw refusal(field, part);
  const [from, to] = boundsOf(field, range, step !== undefined);
  const by = step === undefined ? 1 : parseStep(field, step);
  const numbers: number[] = [];
  for (let number = from; number <= to; number += by) numbers.push(number);
  return numbers;
}

function boundsOf(field: CronField, range: string, stepped: boolean): [from: number, to: number] {
  if (range === "*") return [field.min, field.max];
  const [first = "", last, ...rest] = range.split("-");
  const from = parseNumber(field, first);
  if (last === undefined) return [from, stepped ? field.max : from];
  if (rest.length > 0) throw refusal(field, range);
  const end = parseNumber(field, last);
  // Sunday can also end a range: fri-sun.
  const to = field.words[0] === "sun" && end === 0 && from > 0 ? 7 : end;
  if (from > to) {
    throw new CronError(
      `The ${field.name} "${range}" runs backwards. Write it as two ranges: ${first}-${field.max},${field.min}-${last}.`,
    );
  }
  return [from, to];
}

function parseNumber(field: CronField, text: string): number {
  const word = field.words.indexOf(text.toLowerCase());
  if (word !== -1) return field.min + word;
  // Sunday is 0 and 7.
  const max = field.words[0] === "sun" ? 7 : field.max;
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= field.min && number <= max)) throw refusal(field, text);
  return number;
}

function parseStep(field: CronField, text: string): number {
  const longest = field.max - field.min;
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (step < 1 || step > longest) {
    throw new CronError(
      `The ${field.name} has the step "${text}", and steps start over with every new round: give a number from 1 to ${longest}.`,
    );
  }
  return step;
}

function refusal({ name, min, max, words }: CronField, text: string): CronError {
  const named = words.length > 0 ? ` or ${words[0]} to ${words.at(-1)}` : "";
  return new CronError(
    `The ${name} cannot be "${text}": give a number from ${min} to ${max}${named}, ${forms(min)}.`,
  );
}
