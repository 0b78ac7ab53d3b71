import type { Figure } from "@querybell/domain/conditions";
import type { JsonValue } from "@querybell/domain/results";
import { add, type Decimal, parseDecimal, zero } from "@querybell/summaries/decimals";
import type { ResultTable } from "@querybell/summaries/result-table";
import { findColumn, isNumeric, selectRows, valueKey } from "@querybell/summaries/select-rows";

/** A sum or count of the rows with these values of the dimensions, in both results. */
export interface Group {
  values: readonly JsonValue[];
  before: Decimal;
  now: Decimal;
}

/** The rows of both results, grouped by one dimension or by two. The figures of the groups add up to those of all rows. */
export interface Grouping {
  dimensions: readonly string[];
  groups: Group[];
}

/** A dimension with more values names rows rather than what they have in common. */
const maxGroups = 1000;
const maxDimensions = 4;

const one: Decimal = { units: 1n, scale: 0 };

interface Selected {
  table: ResultTable;
  positions: readonly number[];
  amountAt: (position: number) => Decimal | null;
}

/** Selects the rows of a figure that can be split into groups: a sum or a count. */
function select(
  table: ResultTable,
  { operation, column: name, where }: Figure,
): Selected | { problem: string } {
  if (operation !== "sum" && operation !== "count") {
    return { problem: `It cannot be said why: parts of ${wordFor[operation]} do not add up to the whole.` };
  }
  if (table.cut) return { problem: "It cannot be said why: a limit truncated the result." };
  const selection = selectRows(table, { where });
  if ("problem" in selection) return selection;
  if (operation === "count") return { table, positions: selection.positions, amountAt: () => one };
  const column = findColumn(table, name ?? "");
  if (typeof column === "object") return column;
  if (!isNumeric(table.fields[column]?.type)) return { problem: `The column ${name} is not numeric.` };
  const amountAt = (position: number) => {
    const cell = table.rows[position]?.[column] ?? null;
    return cell === null ? zero : parseDecimal(cell);
  };
  const wrong = selection.positions.find((position) => amountAt(position) === null);
  if (wrong !== undefined) return { problem: `Row ${wrong + 1} holds no finite number.` };
  return { table, positions: selection.positions, amountAt };
}

const wordFor = {
  value: "a single value",
  distinct_count: "a number of different values",
  average: "an average",
  minimum: "a minimum",
  maximum: "a maximum",
};

/** Groups both results by each of their dimensions and by pairs of them: ten groupings at most. */
export function groupRows(
  now: ResultTable,
  before: ResultTable,
  figure: Figure,
): { groupings: Grouping[] } | { problem: string } {
  const results = [select(before, figure), select(now, figure)] as const;
  for (const result of results) if ("problem" in result) return result;
  const [old, current] = results as [Selected, Selected];
  const single = dimensionsOf(now, before, figure).flatMap((name) => {
    const grouping = groupBy([name], old, current);
    return grouping ? [grouping] : [];
  });
  const kept = single.slice(0, maxDimensions);
  if (kept.length === 0)
    return { problem: "It cannot be said why: the result has no columns to split it by." };
  const names = kept.flatMap(({ dimensions }) => dimensions);
  const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second]));
  const paired = pairs.flatMap((pair) => groupBy(pair, old, current) ?? []);
  return { groupings: [...kept, ...paired] };
}

/** Columns of texts and truth values that both results have, and that the figure is not of. */
function dimensionsOf(now: ResultTable, before: ResultTable, { column }: Figure): string[] {
  return now.fields
    .filter(({ name, type }) => (type === "string" || type === "boolean") && name !== column)
    .filter(
      ({ name }) => typeof findColumn(now, name) === "number" && typeof findColumn(before, name) === "number",
    )
    .map(({ name }) => name);
}

/** Null if there are too many groups, or just one, which explains nothing. */
function groupBy(dimensions: readonly string[], before: Selected, now: Selected): Grouping | null {
  const groups = new Map<string, Group>();
  for (const [side, { table, positions, amountAt }] of [
    ["before", before],
    ["now", now],
  ] as const) {
    const columns = dimensions.map((name) => findColumn(table, name) as number);
    for (const position of positions) {
      const values = columns.map((column) => table.rows[position]?.[column] ?? null);
      const key = values.map((value, i) => valueKey(value, table.fields[columns[i] ?? 0])).join();
      let group = groups.get(key);
      if (!group) {
        group = { values, before: zero, now: zero };
        groups.set(key, group);
        if (groups.size > maxGroups) return null;
      }
      group[side] = add(group[side], amountAt(position) ?? zero);
    }
  }
  return groups.size < 2 ? null : { dimensions, groups: [...groups.values()] };
}
