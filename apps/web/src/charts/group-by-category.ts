import { identity } from "./split-values.ts";

interface CategoryGroups {
  /** Of each row: the number of its category, by first appearance. */
  slots: number[];
  /** Of each category. */
  firstRows: (readonly unknown[])[];
  /** The categories as they stand along the axis. */
  order: number[];
}

/** Groups rows by their category. Without one, each row stands for itself. */
export function groupByCategory(
  categories: readonly unknown[] | undefined,
  rows: readonly (readonly unknown[])[],
): CategoryGroups {
  if (!categories) {
    const each = rows.map((_, row) => row);
    return { slots: each, firstRows: [...rows], order: each };
  }
  const found = new Map<unknown, number>();
  const values: unknown[] = [];
  const firstRows: (readonly unknown[])[] = [];
  const slots = rows.map((row, index) => {
    const key = identity(categories[index]);
    const known = found.get(key);
    if (known !== undefined) return known;
    found.set(key, values.length);
    values.push(key);
    return firstRows.push(row) - 1;
  });
  return { slots, firstRows, order: orderOf(values) };
}

/**
 * The order of first appearance. Numbers and dates ascend unless they descend already: the rows may be ordered by name
 * first, and a name that begins earlier would come after the others.
 */
function orderOf(values: readonly unknown[]): number[] {
  const slots = values.map((_, slot) => slot);
  const steps = values.slice(1).map((value, index) => compare(values[index], value));
  const isInOrder = steps.every((step) => step < 0) || steps.every((step) => step > 0);
  if (isInOrder || !values.every(hasOrder)) return slots;
  return slots.toSorted((a, b) => compare(values[a], values[b]));
}

const hasOrder = (value: unknown): boolean =>
  value === null || typeof value === "number" || (typeof value === "string" && /^\d{4}-\d{2}/.test(value));

/** Missing values come last. */
function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}
