import type { ColumnFigures, Extreme } from "./column-figures.ts";
import { absolute, type Decimal, percentChange, subtract } from "./decimals.ts";
import { counted } from "./report.ts";
import { writeCount, writeNumber } from "./write-number.ts";

/** A numeric column and what it was before, if that can be compared. */
export interface ComparedColumn {
  position: number;
  /** As it is written. */
  name: string;
  isAmount: boolean;
  now: ColumnFigures;
  before: ColumnFigures | null;
  /** Behind what is true of the rows at hand only: " in these rows". */
  scope: string;
}

const inRows = (count: number) => `in ${counted(writeCount(count), "row")}`;

/** Why there is nothing to count, if so. */
export function missingSentence({ name, now: { given, notFinite } }: ComparedColumn): string | null {
  if (notFinite > 0) return `${name} is no finite number ${inRows(notFinite)}.`;
  return given === 0 ? `${name} is empty in every row.` : null;
}

/** "Total revenue 1,234.50, up 34.50 (2.9%)." One row has a value rather than a total. */
export function totalSentence({ name, isAmount, now, before, scope }: ComparedColumn): string | null {
  const isSingle = rowCount(now) === 1 && (before === null || rowCount(before) === 1);
  const total = writeNumber(now.total);
  if (total === null || !(isAmount || isSingle)) return null;
  const change =
    before && before.given > 0 && before.notFinite === 0 ? changeOf(before.total, now.total) : "";
  const empty = now.empty > 0 ? `, empty ${inRows(now.empty)}` : "";
  return `${isSingle ? name : `Total ${name}`}${scope} ${total}${change}${empty}.`;
}

const rowCount = ({ values }: ColumnFigures) => values.length;

function changeOf(before: Decimal, now: Decimal): string {
  const change = subtract(now, before);
  if (change.units === 0n) return ", as before";
  const size = writeMove(change);
  if (size === null) return "";
  const percent = percentChange(before, now);
  const share = percent && percent.units !== 0n ? writePercent(percent) : null;
  return `, ${size}${share === null ? "" : ` (${share})`}`;
}

/** "up 34.50" */
export function writeMove(change: Decimal): string | null {
  const size = writeNumber(absolute(change));
  return size && `${change.units < 0n ? "down" : "up"} ${size}`;
}

function writePercent(percent: Decimal): string | null {
  const text = writeNumber(absolute(percent));
  return text && `${text.replace(/\.0$/, "")}%`;
}

/** "Highest revenue 420.00 ("Kettle"), lowest 3.00 ("Pan")." */
export function extremesSentence(
  { name, isAmount, now, scope }: ComparedColumn,
  nameRow: (row: number) => string | null,
): string | null {
  // One value is its own total.
  if (rowCount(now) === 1 || (isAmount && now.given < 2) || !now.highest || !now.lowest) return null;
  const [high, low] = [writeNumber(now.highest.value), writeNumber(now.lowest.value)];
  if (high === null || low === null) return null;
  if (now.highest.holders === now.given) return `Highest and lowest ${name}${scope} ${high}.`;
  const holder = ({ row, holders }: Extreme) => {
    const who = holders > 1 ? inRows(holders) : nameRow(row);
    return who === null ? "" : ` (${who})`;
  };
  return `Highest ${name}${scope} ${high}${holder(now.highest)}, lowest ${low}${holder(now.lowest)}.`;
}
