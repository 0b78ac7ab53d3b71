import { isNumeric } from "@querybell/charts/chart-data";
import { toPlainText } from "@querybell/charts/formats";
import { ExactTotal, type Total } from "@querybell/charts/tables";
import type { Field } from "@querybell/domain";

export interface SortAndFilter {
  sort: { column: number; descending: boolean } | null;
  /** Rows that have this text in some column, in any case; empty for all. */
  filter: string;
}

/** The least and the greatest number of a column. Undefined without numbers. */
export type Range = readonly [number, number] | undefined;

export interface WantedTotal {
  column: number;
  total: Total;
}

/** How many of the longest values are measured: letters differ in width. */
const longestCount = 3;

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

  /** Totals of the rows that match the filter, with every digit. */
  totals(wanted: readonly WantedTotal[]): (string | number | null)[] {
    return wanted.map(({ column, total }) => {
      const exact = new ExactTotal();
      if (this.#order) for (const index of this.#order) exact.add(this.#rows[index]?.[column]);
      else for (const row of this.#rows) exact.add(row[column]);
      return exact.read(total);
    });
  }

  /** By column: the values with the longest texts, and the range of the numbers. */
  extremes(): { longest: unknown[][]; ranges: Range[] } {
    const longest = this.fields.map((_, column) => this.#longest(column));
    return {
      longest,
      ranges: this.fields.map(({ type }, column) => (isNumeric(type) ? this.#range(column) : undefined)),
    };
  }

  #longest(column: number): unknown[] {
    const isNumber = isNumeric(this.fields[column]?.type ?? "string");
    const found: { value: unknown; length: number }[] = [];
    for (const row of this.#rows) {
      const value = row[column] ?? null;
      const text = toPlainText(value);
      const length = isNumber ? lengthOfNumber(text) : text.length;
      if (found.length === longestCount && length <= (found.at(-1)?.length ?? 0)) continue;
      if (found.some((other) => other.length === length)) continue;
      found.push({ value, length });
      found.sort((a, b) => b.length - a.length);
      if (found.length > longestCount) found.pop();
    }
    return found.map(({ value }) => value);
  }

  #range(column: number): Range {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of this.#rows) {
      const value = row[column];
      const number = value === null || value === undefined ? Number.NaN : Number(value);
      if (number < low) low = number;
      if (number > high) high = number;
    }
    return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : undefined;
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

/** In digits: signs are about half as wide, also the separators that the page adds. */
function lengthOfNumber(text: string): number {
  let [digits, whole] = [0, -1];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) digits++;
    else if (whole === -1 && digits > 0) whole = digits;
  }
  const separators = Math.floor((Math.max(1, whole === -1 ? digits : whole) - 1) / 3);
  return digits + (text.length - digits + separators) / 2;
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
