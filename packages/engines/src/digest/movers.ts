import type { ColumnFigures } from "./column-figures.ts";
import type { RowComparison } from "./compare-rows.ts";
import { absolute, compare, type Decimal, subtract } from "./decimals.ts";

export interface Move {
  /** The row in the current result, and in the previous one. */
  row: number;
  rowBefore: number;
  change: Decimal;
}

/** The rows whose value has changed, the largest change first. */
export function movesOf({ pairs }: RowComparison, now: ColumnFigures, before: ColumnFigures): Move[] {
  const moves = pairs.flatMap((pair): Move[] => {
    const [to, from] = [now.values[pair.now], before.values[pair.before]];
    if (!to || !from || compare(to, from) === 0) return [];
    return [{ row: pair.now, rowBefore: pair.before, change: subtract(to, from) }];
  });
  return moves.sort((one, other) => compare(absolute(other.change), absolute(one.change)));
}
