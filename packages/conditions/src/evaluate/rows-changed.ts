import type { LeafCondition } from "@querybell/domain/conditions";
import type { Field, JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "@querybell/summaries/result-table";
import { findColumn, selectRows, valueKey } from "@querybell/summaries/select-rows";
import { type ChangedRow, type Evidence, noData, type Outcome } from "./outcomes.ts";

type RowsChanged = Extract<LeafCondition, { kind: "rows_changed" }>;

interface KeyedRows {
  table: ResultTable;
  key: readonly number[];
  /** The positions of the rows, by their keys. */
  byKey: ReadonlyMap<string, number>;
  /** Those for which the filters hold. */
  selected: ReadonlySet<number>;
}

/** The rows that entered, left or changed since the last result. */
export function evaluateRowsChanged(condition: RowsChanged, { result, base }: Evidence): Outcome {
  if (!result) return noData("The run failed.");
  if (result.cut) return noData("A limit truncated the result, so rows may be missing from it.");
  if (!base) return noData("There is no earlier result yet.");
  const now = keyRows(result, condition);
  if ("problem" in now) return noData(now.problem);
  const before = keyRows(base, condition);
  if ("problem" in before) return noData(`In the last result: ${before.problem}`);
  const compared = columnsToCompare(condition, result, base);
  if ("problem" in compared) return noData(compared.problem);
  const rows = listChanges(now, before, compared.columns).filter(({ change }) =>
    condition.changes.includes(change),
  );
  const name = condition.changes.join(", ");
  if (rows.length > 0) return { kind: "met", facts: [{ kind: "rows", name, key: condition.key, rows }] };
  return { kind: "not_met", facts: [], reason: "No such row has entered, left or changed." };
}

/** The problem with a key, if rows cannot be told apart by it: a condition with such a key is refused when it is saved. */
export function problemOfKey(table: ResultTable, key: readonly string[]): string | null {
  const keyed = keyRows(table, { key, where: [] });
  return "problem" in keyed ? keyed.problem : null;
}

function keyRows(
  table: ResultTable,
  { key: names, where }: { key: readonly string[]; where: RowsChanged["where"] },
): KeyedRows | { problem: string } {
  const key: number[] = [];
  for (const name of names) {
    const column = findColumn(table, name);
    if (typeof column === "object") return column;
    key.push(column);
  }
  const byKey = new Map<string, number>();
  for (const [position, row] of table.rows.entries()) {
    const text = keyOf(row, key, table.fields);
    if (byKey.has(text)) {
      const shown = key.map((column) => JSON.stringify(row[column] ?? null)).join(", ");
      return {
        problem: `Several rows have the same ${names.join(", ")}: ${shown}. Choose columns that identify a row.`,
      };
    }
    byKey.set(text, position);
  }
  const selection = selectRows(table, { where });
  if ("problem" in selection) return selection;
  return { table, key, byKey, selected: new Set(selection.positions) };
}

const keyOf = (row: readonly JsonValue[], key: readonly number[], fields: readonly Field[]): string =>
  JSON.stringify(key.map((column) => valueKey(row[column] ?? null, fields[column])));

/**
 * Pairs of columns whose cells are compared: by name, in both results. A column that is new, or had another type, is
 * compared from the next result on: the rows that entered, left or changed elsewhere must be told now.
 */
function columnsToCompare(
  { columns, changes }: RowsChanged,
  now: ResultTable,
  before: ResultTable,
): { columns: [number, number][] } | { problem: string } {
  if (!changes.includes("changed")) return { columns: [] };
  const names = columns ?? now.fields.map(({ name }) => name);
  const pairs: [number, number][] = [];
  for (const name of names) {
    const own = findColumn(now, name);
    if (typeof own === "object") return own;
    const other = findColumn(before, name);
    if (typeof other === "object" || now.fields[own]?.type !== before.fields[other]?.type) continue;
    pairs.push([own, other]);
  }
  return { columns: pairs };
}

/**
 * A row that a filter newly admits has entered, and one that it no longer admits has left, although both are in both
 * results: what counts is the filtered list.
 */
function listChanges(now: KeyedRows, before: KeyedRows, columns: readonly [number, number][]): ChangedRow[] {
  const changes: ChangedRow[] = [];
  for (const [text, position] of now.byKey) {
    if (!now.selected.has(position)) continue;
    const row = now.table.rows[position] ?? [];
    const key = now.key.map((column) => row[column] ?? null);
    const earlier = before.byKey.get(text);
    if (earlier === undefined || !before.selected.has(earlier)) {
      const old = earlier === undefined ? null : (before.table.rows[earlier] ?? null);
      changes.push({ change: "entered", key, now: row, before: old });
      continue;
    }
    const old = before.table.rows[earlier] ?? [];
    const isChanged = columns.some(
      ([own, other]) =>
        valueKey(row[own] ?? null, now.table.fields[own]) !==
        valueKey(old[other] ?? null, before.table.fields[other]),
    );
    if (isChanged) changes.push({ change: "changed", key, now: row, before: old });
  }
  for (const [text, position] of before.byKey) {
    if (!before.selected.has(position)) continue;
    const current = now.byKey.get(text);
    if (current !== undefined && now.selected.has(current)) continue;
    const old = before.table.rows[position] ?? [];
    const row = current === undefined ? null : (now.table.rows[current] ?? null);
    changes.push({
      change: "left",
      key: before.key.map((column) => old[column] ?? null),
      now: row,
      before: old,
    });
  }
  return changes;
}
