import type { DigestTable } from "../../digest/digest-table.ts";
import { fixedPoint } from "../../digest/testing/fixed-point.ts";
import type { Declaration, Figure } from "../declaration.ts";

/** A fraction. */
export interface Exact {
  top: bigint;
  bottom: bigint;
}

const one = 10n ** 340n;

/** What a declaration gives. Shares no code with the check. Null where it gives nothing. */
export function exactOf(
  { operation, of, against }: Omit<Declaration, "written">,
  results: Record<string, DigestTable>,
): Exact | null {
  const first = figureOf(of, results);
  if (operation === "figure") return against ? null : first;
  const second = against ? figureOf(against, results) : null;
  if (!first || !second) return null;
  const difference = first.top * second.bottom - second.top * first.bottom;
  if (operation === "difference") return { top: difference, bottom: first.bottom * second.bottom };
  if (second.top === 0n) return null;
  const isNegative = second.top < 0n;
  if (operation === "percentage_change") {
    return { top: 100n * difference, bottom: first.bottom * (isNegative ? -second.top : second.top) };
  }
  const factor = operation === "percentage" ? 100n : 1n;
  const top = factor * first.top * second.bottom;
  const bottom = first.bottom * second.top;
  return isNegative ? { top: -top, bottom: -bottom } : { top, bottom };
}

function figureOf(
  { result, column, rows, where, operation }: Figure,
  results: Record<string, DigestTable>,
): Exact | null {
  const table = results[result];
  if (!table || rows?.some((row) => row > table.rows.length)) return null;
  const wanted = where?.[0]?.value;
  const chosen = table.rows.filter(
    (row, i) => (!rows || rows.includes(i + 1)) && (wanted === undefined || row[0] === wanted),
  );
  if (operation === "count") return { top: BigInt(chosen.length), bottom: 1n };
  const at = table.fields.findIndex(({ name }) => name === column);
  const cells = chosen.map((row) => fixedPoint(row[at] ?? undefined));
  const values = cells.filter((value) => value !== undefined);
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return null;
  const total = values.reduce((sum, value) => sum + value, 0n);
  switch (operation) {
    case "value":
      return least === most && values.length === cells.length ? { top: least, bottom: one } : null;
    case "sum":
      return { top: total, bottom: one };
    case "average":
      return { top: total, bottom: one * BigInt(values.length) };
    case "minimum":
      return { top: least, bottom: one };
    case "maximum":
      return { top: most, bottom: one };
    default:
      return null;
  }
}

/** Whether so many units of 10 to the power of `-scale` are the number, rounded with halves away from zero. */
export function isRightlyWritten({ top, bottom }: Exact, units: bigint, scale: number): boolean {
  const size = (value: bigint) => (value < 0n ? -value : value);
  if (units === 0n) return top === 0n;
  if (top === 0n || units < 0n !== top < 0n) return false;
  const [written, exact] =
    scale >= 0
      ? [size(units) * bottom, size(top) * 10n ** BigInt(scale)]
      : [size(units) * bottom * 10n ** BigInt(-scale), size(top)];
  const unit = scale >= 0 ? bottom : bottom * 10n ** BigInt(-scale);
  const error = 2n * (written - exact);
  return error > -unit && error <= unit;
}
