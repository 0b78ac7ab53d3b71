import { compareMeasured, inBrackets, versus } from "./comparison.ts";
import type { DraftFact } from "./draft-fact.ts";
import { isPlural, type NumericColumn, writeMeasured } from "./numeric-column.ts";
import { joined, type Phrase, phrase } from "./phrase.ts";
import { lastRun, measuredAt } from "./value-facts.ts";

const maxOthers = 3;
const earlierWords = /(?:^|[ _])(?:before|previous|prior|earlier)(?:[ _]|$)/i;

/** "average is 52.31, up 2.2% from 51.20 (before).", or the values of the row and how they have changed. */
export function singleRowFacts(columns: readonly NumericColumn[]): DraftFact[] {
  const given = columns
    .filter((column) => measuredAt(column, 0) !== null)
    .toSorted((one, other) => one.position - other.position);
  const [first, second, ...others] = given;
  if (!first) return [];
  const isPair = second !== undefined && earlierWords.test(second.field) && !earlierWords.test(first.field);
  const lead = isPair ? pairFact(first, second) : valueFact(first);
  const rest = isPair ? others : given.slice(1);
  return [lead, othersFact(rest)].filter((wordings) => wordings.length > 0);
}

const readValue = (column: NumericColumn) => {
  const now = measuredAt(column, 0);
  // More than one row in the last run is another kind of result.
  const before = column.before?.values.length === 1 ? measuredAt(column, 0, "before") : null;
  return now && { now, before, text: phrase`${writeMeasured(column, now)}` };
};

const nameAndVerb = (column: NumericColumn): string => `${column.name} ${isPlural(column) ? "are" : "is"}`;

function valueFact(column: NumericColumn): Phrase[] {
  const value = readValue(column);
  if (!value) return [];
  const { now, before, text } = value;
  const change = before && phrase`, ${versus(column, { now, before }, lastRun)}`;
  return [phrase`${nameAndVerb(column)} ${text}${change}.`];
}

/** The row has a column for now and one for before. */
function pairFact(column: NumericColumn, earlier: NumericColumn): Phrase[] {
  const [now, before] = [measuredAt(column, 0), measuredAt(earlier, 0)];
  if (!now || !before) return [];
  const start = phrase`${nameAndVerb(column)} ${writeMeasured(column, now)}`;
  const from = phrase`from ${writeMeasured(earlier, before)} (${earlier.name})`;
  const comparison = compareMeasured(column, now, before);
  if (comparison.kind === "same") return [phrase`${start}, the same as ${earlier.name}.`];
  const share = comparison.kind === "percent" && phrase` ${comparison.share}`;
  return [phrase`${start}, ${comparison.isUp ? "up" : "down"}${share || null} ${from}.`];
}

function othersFact(columns: readonly NumericColumn[]): Phrase[] {
  const written = columns.slice(0, maxOthers).flatMap((column) => {
    const value = readValue(column);
    return value
      ? [phrase`${nameAndVerb(column)} ${value.text}${inBrackets(column, value.now, value.before)}`]
      : [];
  });
  return written.map((_, i) => phrase`${joined(written.slice(0, written.length - i), "; ")}.`);
}
