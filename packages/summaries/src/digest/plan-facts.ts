import type { JsonValue } from "@querybell/domain/results";
import type { ResultTable, Tables } from "../stored-results/result-table.ts";
import { areUnique, columnsWithRole, namingColumns, wordsOf } from "./column-roles.ts";
import { compareRows, haveSameFields, type RowComparison, type RowPair } from "./compare-rows.ts";
import { compareDecimals } from "./decimals.ts";
import { canBeNamed, type PlannedFact, slot } from "./facts.ts";
import { type NumericColumn, readColumns } from "./numeric-column.ts";
import { findPeriods } from "./periods.ts";
import { planPeriods } from "./plan-periods.ts";
import type { Day } from "./written-day.ts";

export interface Plan {
  /** The most important first. */
  facts: PlannedFact[];
  /** The column that the first fact names, if its total means something. */
  lead: string | null;
}

interface PlanOptions {
  title: string;
  today: Day;
  shownColumns: readonly string[];
}

/** Chooses what a digest could say of a result, as slots. */
export function planFacts(tables: Tables, { title, today, shownColumns: shown }: PlanOptions): Plan {
  const { now, before } = tables;
  const count = [[slot("count", { versus: before ? "last_run" : undefined })], [slot("count")]];
  if (now.rows.length === 0) return { facts: [count], lead: null };
  const all = readColumns(tables);
  // A chart of several columns shows the parts of what its title names.
  const named = shown.length > 1 ? all.filter(({ field }) => isNamedBy(title, field)) : [];
  const shownColumns = [...named.map(({ field }) => field), ...shown];
  const columns = shownFirst(all, shownColumns);
  const periods = findPeriods(now, today);
  const facts = periods ? planPeriods({ tables, periods, columns, today }) : [];
  const [first] = columns;
  if (facts.length > 0) return { facts, lead: first?.isAmount ? first.field : null };
  if (now.cut) return { facts: [count], lead: null };
  const comparison = before && before.rows.length > 0 ? compareRows(now, before) : null;
  const changes = before ? planChanges(tables, before, comparison) : [];
  const missing = columns
    .filter((column) => column.now.given === 0)
    .map((column): PlannedFact => [[slot("empty", { column: column.field })]]);
  const given = columns.filter(({ now: figures }) => figures.given > 0 && figures.notFinite === 0);
  const singles = now.rows.length === 1 ? planSingleRow({ columns: given, before, shownColumns }) : [];
  const [single, ...others] = singles;
  if (single) return { facts: [single, ...changes, ...others, ...missing], lead: null };
  const plan = planTable({ tables, columns: given, comparison, changes, count, shownColumns });
  return { ...plan, facts: [...plan.facts, ...missing] };
}

/** What the chart shows comes first, in the order of the chart. */
function shownFirst(columns: NumericColumn[], shown: readonly string[]): NumericColumn[] {
  const place = ({ field }: NumericColumn) => (shown.includes(field) ? shown.indexOf(field) : shown.length);
  return columns.filter(({ field }) => canBeNamed(field)).toSorted((one, other) => place(one) - place(other));
}

interface TableWork {
  tables: Tables;
  columns: readonly NumericColumn[];
  comparison: RowComparison | null;
  changes: PlannedFact[];
  count: PlannedFact;
  shownColumns: readonly string[];
}

/** A result with rows that are not about periods. */
function planTable({ tables, columns, comparison, changes, count, shownColumns }: TableWork): Plan {
  const { now, before } = tables;
  const isNamed = namingColumns(now).some((column) => areUnique(now, [column]));
  const shown = columns.find(({ field }) => shownColumns.includes(field));
  const ranking = isNamed ? [shown ?? columns].flat().find(isRanking) : undefined;
  const lead = shown ?? ranking ?? columns.find(hasMoved) ?? columns[0];
  if (!lead) {
    const hasOtherCount = now.rows.length !== (before ?? now).rows.length;
    const counted = changes.length === 0 || hasOtherCount ? [count] : [];
    return { facts: [...counted, ...changes, ...planGroups(now)], lead: null };
  }
  const isWhole = !mayBeLimited(now.rows.length);
  const moves = comparison ? planMoves(lead) : [];
  const rows = ranking ? planLeaders(ranking) : planExtremes(lead);
  const total = lead.isAmount ? planTotal(lead) : moves;
  const others = columns.filter((column) => column !== lead && column.isAmount).map(planTotal);
  // The total of a list of the best says little, unless it has changed.
  const isTelling = isWhole || now.rows.length < 10 || before !== null;
  const facts = ranking
    ? [rows, ...(isTelling ? [total] : []), ...changes, moves]
    : [total, ...changes, moves, rows, ...(isWhole ? others : [])];
  return { facts: [...new Set(facts)], lead: lead.isAmount ? lead.field : null };
}

const hasMoved = ({ isAmount, now, before }: NumericColumn): boolean =>
  isAmount && before !== null && compareDecimals(now.total, before.total) !== 0;

/** A list of 10 or 20 rows is often the beginning of a longer one. */
const mayBeLimited = (rowCount: number): boolean => rowCount % 5 === 0;

/** Whether the rows are ordered by this column, the highest first. */
function isRanking({ now: { values, given, highest, lowest } }: NumericColumn): boolean {
  if (values.length < 3 || given < values.length || !highest || !lowest) return false;
  if (compareDecimals(highest.value, lowest.value) === 0) return false;
  return values.every((value, row) => {
    const before = row === 0 ? null : values[row - 1];
    return !value || !before || compareDecimals(before, value) >= 0;
  });
}

const planTotal = ({ field, before }: NumericColumn): PlannedFact => {
  const isCompared = before !== null && before.given > 0 && before.notFinite === 0;
  const total = [slot("total", { column: field })];
  return isCompared ? [[slot("total", { column: field, versus: "last_run" })], total] : [total];
};

const planLeaders = ({ field: column }: NumericColumn): PlannedFact => [
  [slot("top", { column, n: "3" })],
  [slot("top", { column, n: "2" })],
  [slot("top", { column })],
];

/** The row with the highest number and, where totals mean nothing, the one with the lowest. */
function planExtremes({ field: column, isAmount }: NumericColumn): PlannedFact {
  const top = slot("top", { column });
  return isAmount ? [[top]] : [[top, slot("bottom", { column })], [top]];
}

const planMoves = ({ field: column }: NumericColumn): PlannedFact => [
  [slot("movers", { column, n: "2" })],
  [slot("movers", { column, n: "1" })],
  [slot("movers", { column, n: "3" })],
];

function planGroups(table: ResultTable): PlannedFact[] {
  const names = columnsWithRole(table, "label").flatMap((position) => {
    const field = table.fields[position];
    // People who have the same name are no group.
    const isGroup = field?.type === "string" && !/name|title/i.test(field.name) && canBeNamed(field.name);
    if (!field || !isGroup) return [];
    const { size } = new Set(table.rows.map((row) => JSON.stringify(row[position] ?? null)));
    return size > 1 && size <= 4 && size * 2 <= table.rows.length ? [field.name] : [];
  });
  const [first] = names;
  return first === undefined ? [] : [[[slot("groups", { column: first })]]];
}

const earlierWords = /(?:^|[ _])(?:before|previous|prior|earlier)(?:[ _]|$)/i;

interface SingleRowWork {
  columns: readonly NumericColumn[];
  before: ResultTable | null;
  shownColumns: readonly string[];
}

/** The values of the only row. If one of two columns has the value of an earlier time, their comparison. */
function planSingleRow({ columns, before, shownColumns }: SingleRowWork): PlannedFact[] {
  const ordered = columns.toSorted((one, other) => one.position - other.position);
  const isShown = ({ field }: NumericColumn) => shownColumns.includes(field);
  const given = [...columns.filter(isShown), ...ordered.filter((column) => !isShown(column))];
  const [first, second, ...others] = given;
  if (!first) return [];
  const isPair = second !== undefined && earlierWords.test(second.field) && !earlierWords.test(first.field);
  const rest = (isPair ? others : given.slice(1)).filter(({ field }) => !field.includes(","));
  // More than one row in the last run is another kind of result.
  const versus = before?.rows.length === 1 ? "last_run" : undefined;
  const value = (compared: string | undefined) => [slot("value", { column: first.field, versus: compared })];
  const lead = isPair
    ? [[slot("compare", { column: first.field, with_column: second.field })]]
    : [value(versus), value(undefined)];
  const columnsText = rest
    .slice(0, 3)
    .map(({ field }) => field)
    .join(", ");
  const list = (compared: string | undefined) => [slot("list", { columns: columnsText, versus: compared })];
  return rest.length > 0 ? [lead, [list(versus), list(undefined)]] : [lead];
}

/** What has changed besides numbers. */
function planChanges(tables: Tables, before: ResultTable, comparison: RowComparison | null): PlannedFact[] {
  if (!haveSameFields(tables.now, before)) return [[[slot("changes")]]];
  if (!comparison) return before.rows.length > 0 && !hasNumbers(tables.now) ? [[[slot("changes")]]] : [];
  const { added, gone } = comparison;
  const rows = [
    ...(added.length > 0 ? [slot("new_rows")] : []),
    ...(gone.length > 0 ? [slot("gone_rows")] : []),
  ];
  const words = planChangedWords(tables, before, comparison);
  return [...words, ...(rows.length > 0 ? [[rows, ...rows.map((one) => [one])]] : [])];
}

const hasNumbers = (table: ResultTable): boolean =>
  columnsWithRole(table, "amount").length + columnsWithRole(table, "level").length > 0;

const maxChangedRows = 2;

/** Texts of rows that are not what they were in the last run. */
function planChangedWords(tables: Tables, before: ResultTable, comparison: RowComparison): PlannedFact[] {
  const { now } = tables;
  const isOther = (pair: RowPair, column: number) =>
    JSON.stringify(now.rows[pair.now]?.[column] ?? null) !==
    JSON.stringify(before.rows[pair.before]?.[column] ?? null);
  const worded = namingColumns(now).filter((column) => !comparison.key.includes(column));
  const slots = (comparison.changed ?? []).flatMap((pair) =>
    worded
      .filter((column) => isOther(pair, column))
      .slice(0, 1)
      .map((column) =>
        slot("change", {
          column: now.fields[column]?.name ?? "",
          since: "last_run",
          ...keyOfRow(now, comparison.key, pair.now),
        }),
      ),
  );
  const shown = slots.slice(0, maxChangedRows);
  if (shown.length === 0) return [];
  const all = slots.length > shown.length ? [[...shown, slot("changes")]] : [];
  return [[...all, shown, shown.slice(0, 1)]];
}

const asAttribute = (cell: JsonValue): string => (typeof cell === "string" ? cell : JSON.stringify(cell));

const keyOfRow = (table: ResultTable, key: readonly number[], position: number): Record<string, string> =>
  Object.fromEntries(
    key.map((column) => [
      `where.${table.fields[column]?.name ?? ""}`,
      asAttribute(table.rows[position]?.[column] ?? null),
    ]),
  );

/** All that has changed between two results that are not the same. */
export function planAllChanges(now: ResultTable, before: ResultTable): PlannedFact[] {
  const tables = { now, before };
  const comparison = before.rows.length > 0 && now.rows.length > 0 ? compareRows(now, before) : null;
  return [
    [[slot("count", { versus: "last_run" })], [slot("count")]],
    ...planChanges(tables, before, comparison),
    ...readColumns(tables).flatMap((column): PlannedFact[] => [
      ...(column.isAmount && column.now.given > 0 ? [planTotal(column)] : []),
      ...(comparison ? [planMoves(column)] : []),
    ]),
  ];
}

/** Whether a title has all the words of a column's name. */
export function isNamedBy(title: string, field: string): boolean {
  const words = wordsOf(title);
  return wordsOf(field).every((word) => words.includes(word));
}
