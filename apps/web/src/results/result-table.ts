import { isNumeric } from "@querybell/charts/chart-data";
import type { Field } from "@querybell/domain";
import { toPlainText } from "@querybell/charts/formats";

export interface SortAndFilter {
  sort: { column: number; descending: boolean } | null;
  /** Rows that have this text in some column, in any case; empty for all. */
  filter: string;
}

export const storedOrder: SortAndFilter = { sort: null, filter: "" };

/** The rows of a result, sorted and filtered. Lives in the worker. */
export class ResultTable {
  readonly fields: readonly Field[];
  readonly #rows: readonly (readonly unknown[])[];
  #order: Uint32Array | null = null;

  constructor({ fields, rows }: { fields: readonly Field[]; rows: readonly (readonly unknown[])[] }) {
    this.fields = fields;
    this.#rows = rows;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** Returns the number of rows that match the filter. */
  sortAndFilter({ sort, filter }: SortAndFilter): number {
    const wanted = filter.trim().toLowerCase();
    let order = Uint32Array.from(this.#rows.keys());
    if (wanted !== "") order = order.filter((index) => this.#contains(index, wanted));
    if (sort) this.#sort(order, sort);
    this.#order = wanted === "" && !sort ? null : order;
    return order.length;
  }

  slice(from: number, to: number): (readonly unknown[])[] {
    if (!this.#order) return this.#rows.slice(from, to);
    return [...this.#order.subarray(from, to)].map((index) => this.#rows[index] ?? []);
  }

  #contains(index: number, wanted: string): boolean {
    return (this.#rows[index] ?? []).some((value) => toPlainText(value).toLowerCase().includes(wanted));
  }

  /** Stable, and with the missing values last in both directions. */
  #sort(order: Uint32Array, { column, descending }: NonNullable<SortAndFilter["sort"]>): void {
    const type = this.fields[column]?.type ?? "string";
    const compare = comparison(type);
    const sign = descending ? -1 : 1;
    const valueAt = (index: number) => this.#rows[index]?.[column] ?? null;
    order.sort((a, b) => {
      const [left, right] = [valueAt(a), valueAt(b)];
      if (left === null || right === null) return Number(left === null) - Number(right === null) || a - b;
      return sign * compare(left, right) || a - b;
    });
  }
}

const texts = new Intl.Collator(undefined, { numeric: true });

function comparison(type: Field["type"]): (left: unknown, right: unknown) => number {
  if (isNumeric(type)) return compareNumbers;
  // ISO dates and times sort as texts do.
  if (type === "date" || type === "time" || type === "timestamp") {
    return (left, right) => (String(left) < String(right) ? -1 : left === right ? 0 : 1);
  }
  return (left, right) => texts.compare(toPlainText(left), toPlainText(right));
}

/**
 * Values that a number cannot hold exactly are strings. If they are equal as numbers, their digits are
 * compared.
 */
function compareNumbers(left: unknown, right: unknown): number {
  const difference = Number(left) - Number(right);
  if (difference !== 0 || (typeof left === "number" && typeof right === "number")) return difference;
  return compareExactly(String(left), String(right));
}

function compareExactly(left: string, right: string): number {
  const digits = /^-?\d+(?:\.\d+)?$/;
  if (!digits.test(left) || !digits.test(right)) return 0;
  const places = Math.max(fractionOf(left).length, fractionOf(right).length);
  const scaled = (text: string) =>
    BigInt(text.replace(".", "") + "0".repeat(places - fractionOf(text).length));
  const difference = scaled(left) - scaled(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const fractionOf = (text: string): string => text.split(".")[1] ?? "";
