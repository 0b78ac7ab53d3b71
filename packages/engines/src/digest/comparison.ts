import { absolute, compare, type Decimal, percentChange, subtract } from "./decimals.ts";
import { type Measured, type NumericColumn, writeMeasured } from "./numeric-column.ts";
import { type Phrase, phrase } from "./phrase.ts";
import { writePercent, writeShort } from "./write-number.ts";

/** How a number compares to another. */
type Comparison =
  | { kind: "same" }
  /** "4%", of a change that is told in percent. */
  | { kind: "percent"; isUp: boolean; share: Phrase }
  /** A change that has no percentage, or one that says little. */
  | { kind: "moved"; isUp: boolean; isSlight: boolean; from: Phrase };

const maxPercent: Decimal = { units: 1000n, scale: 0 };
const ten: Decimal = { units: 10n, scale: 0 };

export function compareMeasured(column: NumericColumn, now: Measured, before: Measured): Comparison {
  const order = compare(now.value, before.value);
  if (order === 0) return { kind: "same" };
  const isUp = order > 0;
  const share = column.measure === "number" ? sharePhrase(now, before) : null;
  if (share) return { kind: "percent", isUp, share };
  const from = writeMeasured(column, before);
  return { kind: "moved", isUp, isSlight: from.text === writeMeasured(column, now).text, from };
}

/** Null where a change in percent is none, is not telling, or misleads, as between losses. */
function sharePhrase(now: Measured, before: Measured): Phrase | null {
  if (now.value.units < 0n || before.value.units < 0n) return null;
  const [fine, coarse] = [
    percentChange(before.value, now.value, 1),
    percentChange(before.value, now.value, 0),
  ];
  if (!fine || !coarse || fine.units === 0n || compare(absolute(fine), maxPercent) >= 0) return null;
  const written = `${writePercent(compare(absolute(fine), ten) < 0 ? fine : coarse)}%`;
  const direction = fine.units > 0n ? "up" : "down";
  return {
    text: written,
    declarations: [{ written, operation: "percentage_change", of: now.of, against: before.of, direction }],
  };
}

/** "4% above September", "up from -50 in September", "the same as in September" */
export function versus(
  column: NumericColumn,
  { now, before }: { now: Measured; before: Measured },
  { name, when }: { name: Phrase; when: Phrase },
): Phrase {
  const comparison = compareMeasured(column, now, before);
  switch (comparison.kind) {
    case "same":
      return phrase`the same as ${when}`;
    case "percent":
      return phrase`${comparison.share} ${comparison.isUp ? "above" : "below"} ${name}`;
    case "moved":
      if (comparison.isSlight) return phrase`slightly ${comparison.isUp ? "above" : "below"} ${name}`;
      return phrase`${comparison.isUp ? "up" : "down"} from ${comparison.from} ${when}`;
  }
}

/** " (up 4%)", " (was 50)", " (unchanged)" */
export function inBrackets(column: NumericColumn, now: Measured, before: Measured | null): Phrase {
  if (!before) return phrase``;
  const comparison = compareMeasured(column, now, before);
  switch (comparison.kind) {
    case "same":
      return phrase` (unchanged)`;
    case "percent":
      return phrase` (${comparison.isUp ? "up" : "down"} ${comparison.share})`;
    case "moved":
      return comparison.isSlight ? phrase`` : phrase` (was ${comparison.from})`;
  }
}

/** "up 120 to 420" */
export function moved(column: NumericColumn, now: Measured, before: Measured): Phrase {
  const change = subtract(now.value, before.value);
  const isUp = change.units > 0n;
  const written = writeShort(absolute(change));
  const size: Phrase = {
    text: written,
    declarations: [
      {
        written,
        operation: "difference",
        of: now.of,
        against: before.of,
        direction: isUp ? "up" : "down",
      },
    ],
  };
  const unit = column.measure === "percent" ? " points" : "";
  return phrase`${isUp ? "up" : "down"} ${size}${unit} to ${writeMeasured(column, now)}`;
}
