import type { ColumnFigures, Extreme } from "./column-figures.ts";
import { absolute, compare, type Decimal, percentChange, subtract } from "./decimals.ts";
import { counted } from "./report.ts";
import { writeCount, writeNumber } from "./write-number.ts";

/** A numeric column, and its previous figures if they can be compared. */
export interface ComparedColumn {
  position: number;
  /** As it is written. */
  name: string;
  isAmount: boolean;
  now: ColumnFigures;
  before: ColumnFigures | null;
  /** " in these rows" if the result was truncated, else empty. */
  scope: string;
}

const inRows = (count: number) => `in ${counted(writeCount(count), "row")}`;

/** Why the column has no figures, if so. */
export function missingSentence({ name, now: { given, notFinite } }: ComparedColumn): string | null {
  if (notFinite > 0) return `${name} is no finite number ${inRows(notFinite)}.`;
  return given === 0 ? `${name} is empty in every row.` : null;
}

/** "Total revenue 1,234.50, up 34.50 (2.9%)." One row has a value rather than a total. */
export function totalSentence({ name, isAmount, now, before, scope }: ComparedColumn): string | null {
  const isSingle = rowCount(now) === 1 && (before === null || rowCount(before) === 1);
  if (!(isAmount || isSingle)) return null;
  const change =
    before && before.given > 0 && before.notFinite === 0 ? changeOf(before.total, now.total) : "";
  const empty = now.empty > 0 ? `, empty ${inRows(now.empty)}` : "";
  return `${isSingle ? name : `Total ${name}`}${scope} ${writeNumber(now.total)}${change}${empty}.`;
}

const rowCount = ({ values }: ColumnFigures) => values.length;

function changeOf(before: Decimal, now: Decimal): string {
  const change = subtract(now, before);
  if (change.units === 0n) return ", as before";
  const percent = percentChange(before, now);
  const share = percent && isTelling(percent) ? ` (${writePercent(percent)})` : "";
  return `, ${writeMove(change)}${share}`;
}

/** "up 34.50" */
export const writeMove = (change: Decimal): string =>
  `${change.units < 0n ? "down" : "up"} ${writeNumber(absolute(change))}`;

// A change by millions of percent is better told by its values.
const maxPercent: Decimal = { units: 1_000_000n, scale: 0 };

const isTelling = (percent: Decimal) => percent.units !== 0n && compare(absolute(percent), maxPercent) < 0;

const writePercent = (percent: Decimal) => `${writeNumber(absolute(percent)).replace(/\.0$/, "")}%`;

/** "Highest revenue 420.00 ("Kettle"), lowest 3.00 ("Pan")." */
export function extremesSentence(
  { name, isAmount, now, scope }: ComparedColumn,
  nameRow: (row: number) => string | null,
): string | null {
  // One value is its own total.
  if (rowCount(now) === 1 || (isAmount && now.given < 2) || !now.highest || !now.lowest) return null;
  const [high, low] = [writeNumber(now.highest.value), writeNumber(now.lowest.value)];
  if (now.highest.holders === now.given) return `Highest and lowest ${name}${scope} ${high}.`;
  const holder = ({ row, holders }: Extreme) => {
    const who = holders > 1 ? inRows(holders) : nameRow(row);
    return who === null ? "" : ` (${who})`;
  };
  return `Highest ${name}${scope} ${high}${holder(now.highest)}, lowest ${low}${holder(now.lowest)}.`;
}
