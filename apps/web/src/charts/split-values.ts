import { pluralize } from "../components/pluralize.ts";
import { formatValue } from "../results/value-formats.ts";

/** As many as the palette has colours. */
const maxSeries = 8;

/** One series of a split: the values of one name, or what the smallest ones add up to. */
export interface SplitSeries {
  name: string;
  isOthers: boolean;
  /** By the slot of the category. A missing value is undefined. */
  values: (number | undefined)[];
}

export interface SplitValues {
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
  const { nameOfRow, distinct } = rankNames(names, values);
  const shown = Math.min(maxSeries, distinct.length);
  const hidden = distinct.length - shown;
  const isAddedUp = hasOthers && hidden > 0;
  const series: SplitSeries[] = distinct.slice(0, shown).map((name) => ({
    name: nameText(name),
    isOthers: false,
    values: new Array(slotCount).fill(undefined),
  }));
  if (isAddedUp) {
    const name = pluralize(hidden, "other");
    series.push({ name, isOthers: true, values: new Array(slotCount).fill(undefined) });
  }

  let isSummed = false;
  let decimals = 0;
  values.forEach((value, row) => {
    const target = series[Math.min(nameOfRow[row] ?? 0, maxSeries)];
    const slot = slots[row] ?? 0;
    if (value === null || !target) return;
    const before = target.values[slot];
    if (before !== undefined && !target.isOthers) isSummed = true;
    target.values[slot] = before === undefined ? value : before + value;
    decimals = Math.max(decimals, decimalsOf(value));
  });
  if (isSummed || isAddedUp) for (const one of series) one.values = one.values.map(rounded(decimals));
  return { series, hiddenCount: isAddedUp ? 0 : hidden, isSummed };
}

/** The distinct names by the sum of their values, the largest first, and for each row the rank of its name. */
function rankNames(names: readonly unknown[], values: readonly (number | null)[]) {
  const indexes = new Map<unknown, number>();
  const found: { name: unknown; size: number }[] = [];
  const indexOfRow = names.map((name, row) => {
    const key = identity(name);
    const index = indexes.get(key) ?? found.length;
    indexes.set(key, index);
    found[index] ??= { name, size: 0 };
    // A large loss is as important as a large gain.
    found[index].size += Math.abs(values[row] ?? 0);
    return index;
  });
  const ranked = found.map((one, index) => ({ ...one, index })).toSorted((a, b) => b.size - a.size);
  const rankOf = new Array<number>(found.length);
  ranked.forEach(({ index }, rank) => {
    rankOf[index] = rank;
  });
  return {
    distinct: ranked.map(({ name }) => name),
    nameOfRow: indexOfRow.map((index) => rankOf[index] ?? 0),
  };
}

/** What makes two values of a column the same. */
export const identity = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);

const maxNameLetters = 40;

/** A value of the column as a name in the legend. */
function nameText(value: unknown): string {
  if (value === null || value === undefined) return "No value";
  // A number is a name here, such as a year, and not grouped.
  const text = formatValue(value, typeof value === "number" ? "plain" : "auto").trim();
  if (text === "") return "Empty text";
  return text.length > maxNameLetters ? `${text.slice(0, maxNameLetters - 1)}…` : text;
}

const mostDecimals = 20;

function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0;
  const text = String(value);
  return text.includes("e") ? mostDecimals : text.length - text.indexOf(".") - 1;
}

/** A sum with the decimals of its values: 0.1 and 0.2 are 0.3. */
const rounded = (decimals: number) => (value: number | undefined) =>
  value === undefined ? undefined : Number(value.toFixed(decimals));
