import { countOf } from "./counts.ts";
import { autoText, toPlainText } from "./formats.ts";

/** As many as the palette has colours. */
const maxSeries = 8;

/** One series of a split: the values of one name, or what the smallest ones add up to. */
export interface SplitSeries {
  name: string;
  isOthers: boolean;
  /** By the slot of the category. A missing value is undefined. */
  values: (number | undefined)[];
}

interface SplitValues {
  series: SplitSeries[];
  /** How many names are in no series. */
  hiddenCount: number;
  /** Whether a category has several values for one name, which are added up. */
  isSummed: boolean;
}

interface SplitInput {
  /** Of each row. */
  names: readonly unknown[];
  values: readonly (number | null)[];
  slots: readonly number[];
  slotCount: number;
  /** Whether the smallest series are added up to one. In a stack the total then stays right. */
  hasOthers: boolean;
}

/** Makes one series for each name: those with the largest sums first, and no more than the palette has colours. */
export function splitValues({ names, values, slots, slotCount, hasOthers }: SplitInput): SplitValues {
  const { distinct, sizes, indexOfRow } = distinctNames(names, values);
  const shown = inOrder(largest(sizes, maxSeries), distinct);
  const hidden = distinct.length - shown.length;
  const isAddedUp = hasOthers && hidden > 0;
  const empty = () => new Array<number | undefined>(slotCount).fill(undefined);
  const series: SplitSeries[] = shown.map((index) => ({
    name: nameText(distinct[index]),
    isOthers: false,
    values: empty(),
  }));
  const others = { name: countOf(hidden, "other"), isOthers: true, values: empty() };
  const seriesOf = new Map(series.map((one, rank) => [shown[rank], one]));

  let isSummed = false;
  let decimals = 0;
  values.forEach((value, row) => {
    if (value === null) return;
    const target = seriesOf.get(indexOfRow[row]) ?? others;
    const slot = slots[row] ?? 0;
    const before = target.values[slot];
    if (before !== undefined && target !== others) isSummed = true;
    target.values[slot] = before === undefined ? value : before + value;
    if (!isRounded(value, decimals)) decimals = Math.max(decimals, decimalsOf(value));
  });
  if (isAddedUp) series.push(others);
  if (isSummed || isAddedUp) for (const one of series) one.values = one.values.map(toRounded(decimals));
  return { series, hiddenCount: isAddedUp ? 0 : hidden, isSummed };
}

/** The names by first appearance with the size of their values, and for each row the number of its name. */
function distinctNames(names: readonly unknown[], values: readonly (number | null)[]) {
  const indexes = new Map<unknown, number>();
  const distinct: unknown[] = [];
  const sizes: number[] = [];
  const indexOfRow = names.map((name, row) => {
    const key = identity(name);
    let index = indexes.get(key);
    if (index === undefined) {
      index = distinct.push(name) - 1;
      sizes.push(0);
      indexes.set(key, index);
    }
    // A large loss is as important as a large gain.
    sizes[index] = (sizes[index] ?? 0) + Math.abs(values[row] ?? 0);
    return index;
  });
  return { distinct, sizes, indexOfRow };
}

/** Years and dates in their order, other names from the largest to the smallest. */
function inOrder(shown: number[], distinct: readonly unknown[]): number[] {
  const texts = shown.map((index) => String(distinct[index]));
  if (!texts.every((text) => /^\d{4}(?:-\d{2}){0,2}$/.test(text))) return shown;
  return shown.toSorted((a, b) => (String(distinct[a]) < String(distinct[b]) ? -1 : 1));
}

/**
 * The positions of the largest numbers, the largest first. Does not sort, because every row can have another
 * name.
 */
function largest(sizes: readonly number[], count: number): number[] {
  const found: number[] = [];
  const sizeAt = (index: number | undefined) => (index === undefined ? 0 : (sizes[index] ?? 0));
  sizes.forEach((size, index) => {
    if (found.length === count && size <= sizeAt(found.at(-1))) return;
    const place = found.findIndex((other) => size > sizeAt(other));
    found.splice(place === -1 ? found.length : place, 0, index);
    if (found.length > count) found.pop();
  });
  return found;
}

/** What makes two values of a column the same. */
export const identity = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);

/** More would fill a page. The end is kept: names often differ there. */
const maxNameLetters = 200;

/** A value of the column as a name in the legend. */
function nameText(value: unknown): string {
  if (value === null || value === undefined) return "No value";
  // A number is a name here, such as a year, and not grouped.
  const text = (typeof value === "number" ? toPlainText(value) : autoText(value)).trim();
  if (text === "") return "Empty text";
  if (text.length <= maxNameLetters) return text;
  const half = maxNameLetters / 2;
  return `${text.slice(0, half)}…${text.slice(1 - half)}`;
}

/** A sum with the decimals of its values: 0.1 and 0.2 are 0.3. */
const toRounded = (decimals: number) => (value: number | undefined) =>
  value === undefined ? undefined : round(value, decimals);

/** Returns a number unchanged that is too large to be rounded exactly. */
function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.abs(value) * scale <= Number.MAX_SAFE_INTEGER ? Math.round(value * scale) / scale : value;
}

const isRounded = (value: number, decimals: number): boolean => round(value, decimals) === value;

function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent));
}
