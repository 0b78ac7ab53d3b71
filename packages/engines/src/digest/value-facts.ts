import type { Figure } from "../checked-summaries/declaration.ts";
import type { Extreme } from "./column-figures.ts";
import type { RowComparison } from "./compare-rows.ts";
import { moved, versus } from "./comparison.ts";
import { compare, type Decimal, percentOf } from "./decimals.ts";
import type { Tables } from "./digest-table.ts";
import type { DraftFact } from "./draft-fact.ts";
import { movesOf } from "./movers.ts";
import { isPlural, type Measured, type NumericColumn, writeMeasured } from "./numeric-column.ts";
import { listed, type Phrase, phrase } from "./phrase.ts";
import { countPhrase } from "./row-count-facts.ts";
import type { NameRow } from "./row-names.ts";
import { writePercent } from "./write-number.ts";

const maxLeaders = 3;
const maxMoves = 2;

export const lastRun = { name: phrase`the last run`, when: phrase`in the last run` };

const is = (column: NumericColumn) => (isPlural(column) ? "are" : "is");

/** The number in a row. */
export function measuredAt(
  column: NumericColumn,
  row: number,
  result: keyof Tables = "now",
): Measured | null {
  const value = column[result]?.values[row];
  return value ? { value, of: { result, rows: [row + 1], column: column.field, operation: "value" } } : null;
}

function totalOf(column: NumericColumn, result: keyof Tables): Measured | null {
  const figures = column[result];
  if (!figures || figures.given === 0 || figures.notFinite > 0) return null;
  return { value: figures.total, of: { result, column: column.field, operation: "sum" } };
}

/** Why the column has no figures. Null if it has. */
export function missingFact(column: NumericColumn): DraftFact | null {
  const { name, now } = column;
  if (now.notFinite > 0) return [phrase`some values of ${name} are no finite numbers.`];
  return now.given === 0 ? [phrase`${name} ${is(column)} empty in every row.`] : null;
}

/** A list of 10 or 20 rows is often the beginning of a longer one. */
export const mayBeLimited = (rowCount: number): boolean => rowCount % 5 === 0;

/** "total revenue is 812,345, 2.9% above the last run." */
export function totalFact(column: NumericColumn): DraftFact {
  const [now, before] = [totalOf(column, "now"), totalOf(column, "before")];
  if (!now) return [];
  const rowCount = column.now.values.length;
  const { name } = column;
  const change = before && phrase`, ${versus(column, { now, before }, lastRun)}`;
  const written = writeMeasured(column, now);
  if (mayBeLimited(rowCount)) {
    const verb = isPlural(column) ? "add" : "adds";
    const rows = phrase`in these ${countPhrase("now", rowCount)} rows`;
    return [phrase`${name} ${verb} up to ${written} ${rows}${change}.`];
  }
  const total = /\b(?:total|sum)\b/i.test(name) ? name : `total ${name}`;
  return [phrase`${total} ${is(column)} ${written}${change}.`];
}

/** Whether the rows are ordered by this column, the highest first. */
export function isRanking({ now: { values, given, highest, lowest } }: NumericColumn): boolean {
  if (values.length < 3 || given < values.length || !highest || !lowest) return false;
  if (compare(highest.value, lowest.value) === 0) return false;
  return values.every((value, row) => {
    const before = row === 0 ? null : values[row - 1];
    return !value || !before || compare(before, value) >= 0;
  });
}

/** "Kettle" has the highest revenue, 420 (62%), ahead of "Tent" (200) and "Pan" (10.50). */
export function leadersFact(column: NumericColumn, nameRow: NameRow, isWhole: boolean): DraftFact {
  const leaders = column.now.values.slice(0, maxLeaders).flatMap((_, row) => {
    const [name, value] = [nameRow(row), measuredAt(column, row)];
    return name && value ? [{ name, value }] : [];
  });
  const [first, ...others] = leaders;
  if (!first) return [];
  const share = isWhole && column.isAmount ? shareOfTotal(column, first.value) : null;
  const start = phrase`${first.name} has the ${mostOf(column)}, ${writeMeasured(column, first.value)}${share && phrase` (${share})`}`;
  const followers = others.map(({ name, value }) => phrase`${name} (${writeMeasured(column, value)})`);
  return [
    ...followers.map(
      (_, i) => phrase`${start}, ahead of ${listed(followers.slice(0, followers.length - i))}.`,
    ),
    phrase`${start}.`,
  ];
}

const mostOf = (column: NumericColumn): string =>
  column.isAmount && isPlural(column) ? `most ${column.name}` : `highest ${column.name}`;

function shareOfTotal(column: NumericColumn, { value, of }: Measured): Phrase | null {
  const { total, lowest } = column.now;
  if (!lowest || lowest.value.units < 0n || value.units === 0n) return null;
  const [fine, coarse] = [percentOf(value, total, 1), percentOf(value, total, 0)];
  if (!fine || !coarse || fine.units === 0n) return null;
  const written = `${writePercent(fine.units < 100n ? fine : coarse)}%`;
  const against: Figure = { result: "now", column: column.field, operation: "sum" };
  return { text: written, declarations: [{ written, operation: "percentage", of, against }] };
}

/** The row with the highest number and, where totals mean nothing, the one with the lowest. */
export function extremesFact(column: NumericColumn, nameRow: NameRow): DraftFact {
  const { highest, lowest, given } = column.now;
  if (!highest || !lowest || given < 2) return [];
  const written = (value: Decimal, operation: "maximum" | "minimum") =>
    writeMeasured(column, { value, of: { result: "now", column: column.field, operation } });
  if (compare(highest.value, lowest.value) === 0) {
    return [phrase`${column.name} ${is(column)} ${written(highest.value, "maximum")} throughout.`];
  }
  const nameOf = ({ row, holders }: Extreme) => (holders === 1 ? nameRow(row) : null);
  const [top, bottom] = [nameOf(highest), nameOf(lowest)];
  const high = written(highest.value, "maximum");
  if (column.isAmount) return top ? [phrase`${top} has the ${mostOf(column)}, ${high}.`] : [];
  const low = written(lowest.value, "minimum");
  const first = top
    ? phrase`${top} has the highest ${column.name}, ${high}`
    : phrase`the highest ${column.name} is ${high}`;
  return [
    phrase`${first}, and ${bottom ? phrase`${bottom} the lowest, ${low}` : phrase`the lowest is ${low}`}.`,
    phrase`${first}.`,
  ];
}

/** Biggest changes in revenue: "Kettle" up 120 to 420 and "Pan" down 30 to 10.50. */
export function movesFact(column: NumericColumn, comparison: RowComparison, nameRow: NameRow): DraftFact {
  if (!column.before) return [];
  const moves = movesOf(comparison, column.now, column.before);
  const written = moves.slice(0, maxMoves).flatMap(({ row, rowBefore }) => {
    const name = nameRow(row);
    const [now, before] = [measuredAt(column, row), measuredAt(column, rowBefore, "before")];
    return name && now && before ? [phrase`${name} ${moved(column, now, before)}`] : [];
  });
  const start = moves.length > 1 ? "biggest changes in" : "the only change in";
  return written.map(
    (_, i) => phrase`${start} ${column.name}: ${listed(written.slice(0, written.length - i))}.`,
  );
}
