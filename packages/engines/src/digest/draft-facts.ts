import { changedWordsFact } from "./changed-rows.ts";
import { wordsOf } from "./column-roles.ts";
import { compareRows, haveSameFields, type RowComparison } from "./compare-rows.ts";
import { compare } from "./decimals.ts";
import type { DigestTable, Tables } from "./digest-table.ts";
import type { DraftFact } from "./draft-fact.ts";
import { type NumericColumn, readColumns } from "./numeric-column.ts";
import { periodFacts } from "./period-facts.ts";
import { findPeriods } from "./periods.ts";
import { phrase } from "./phrase.ts";
import { addedAndGoneFact, countFact, cutFact, groupsFact, noRowsFact } from "./row-count-facts.ts";
import { areUnique, columnsWithRole, type NameRow, namingColumns, rowNamer } from "./row-names.ts";
import { singleRowFacts } from "./single-row-facts.ts";
import {
  extremesFact,
  isRanking,
  leadersFact,
  mayBeLimited,
  missingFact,
  movesFact,
  totalFact,
} from "./value-facts.ts";
import type { Day } from "./written-day.ts";

export interface Drafts {
  /** The most important first. */
  facts: DraftFact[];
  /** The column that the first fact names, if its total means something. */
  lead: string | null;
}

/** All that a digest could say of a result, unchecked. */
export function draftFacts(tables: Tables, today: Day): Drafts {
  const { now, before } = tables;
  if (now.rows.length === 0) return { facts: [noRowsFact(tables)], lead: null };
  const columns = readColumns(tables);
  const periods = findPeriods(now, today);
  const facts = periods ? periodFacts({ tables, periods, columns, thisYear: today.year }) : [];
  if (facts.length > 0) return { facts, lead: columns.find(({ isAmount }) => isAmount)?.field ?? null };
  const nameRow = rowNamer(tables, "now");
  if (now.cut) {
    const ranking = rankedColumn(columns, now);
    const leaders = ranking ? [leadersFact(ranking, nameRow, false)] : [];
    return { facts: [...leaders, cutFact(tables)], lead: null };
  }
  const comparison = before && before.rows.length > 0 ? compareRows(now, before) : null;
  const changes = before ? changeFacts(tables, before, comparison) : [];
  const missing = columns.map(missingFact).filter((fact) => fact !== null);
  const singles = now.rows.length === 1 ? singleRowFacts(columns) : [];
  const [first, ...others] = singles;
  if (first) return { facts: [first, ...changes, ...others, ...missing], lead: null };
  const { facts: about, lead } = tableFacts({ tables, columns, comparison, changes, nameRow });
  return { facts: [...about, ...missing], lead };
}

interface TableWork {
  tables: Tables;
  columns: readonly NumericColumn[];
  comparison: RowComparison | null;
  changes: DraftFact[];
  nameRow: NameRow;
}

/** A result with rows that are not about periods. */
function tableFacts({ tables, columns, comparison, changes, nameRow }: TableWork): Drafts {
  const { now, before } = tables;
  const given = columns.filter((column) => missingFact(column) === null);
  const ranking = rankedColumn(given, now);
  const lead = ranking ?? given.find(hasMoved) ?? given[0];
  if (!lead) {
    const hasOtherCount = now.rows.length !== (before ?? now).rows.length;
    const count = changes.length === 0 || hasOtherCount ? [countFact(tables)] : [];
    const groups = columns.length === 0 ? [groupsFact(tables)] : [];
    return { facts: [...count, ...changes, ...groups], lead: null };
  }
  const isWhole = !mayBeLimited(now.rows.length);
  const moves = comparison ? movesFact(lead, comparison, nameRow) : [];
  const rows = ranking ? leadersFact(ranking, nameRow, isWhole) : extremesFact(lead, nameRow);
  const total = lead.isAmount ? totalFact(lead) : moves;
  const others = given.filter((column) => column !== lead && column.isAmount).map(totalFact);
  // The total of a list of the best says little, unless it has changed.
  const isTelling = isWhole || now.rows.length < 10 || before !== null;
  const facts = ranking
    ? [rows, ...(isTelling ? [total] : []), ...changes, moves]
    : [total, ...changes, moves, rows, ...(isWhole ? others : [])];
  return { facts: [...new Set(facts)], lead: lead.isAmount ? lead.field : null };
}

const hasMoved = ({ isAmount, now, before }: NumericColumn): boolean =>
  isAmount && before !== null && compare(now.total, before.total) !== 0;

/** The column by which the rows are ordered, if they have names. */
function rankedColumn(columns: readonly NumericColumn[], table: DigestTable): NumericColumn | undefined {
  const isNamed = namingColumns(table).some((column) => areUnique(table, [column]));
  return isNamed ? columns.find(isRanking) : undefined;
}

/** All that has changed between two results that are not the same, unchecked. */
export function draftChanges(now: DigestTable, before: DigestTable): DraftFact[] {
  const tables = { now, before };
  const comparison = before.rows.length > 0 ? compareRows(now, before) : null;
  const nameRow = rowNamer(tables, "now");
  return [
    now.rows.length === 0 ? noRowsFact(tables) : countFact(tables),
    ...changeFacts(tables, before, comparison),
    ...readColumns(tables).flatMap((column) => [
      column.isAmount ? totalFact(column) : [],
      comparison ? movesFact(column, comparison, nameRow) : [],
    ]),
  ];
}

/** What has changed besides numbers. */
function changeFacts(tables: Tables, before: DigestTable, comparison: RowComparison | null): DraftFact[] {
  const facts: DraftFact[] = [];
  if (comparison) facts.push(changedWordsFact(tables, comparison), addedAndGoneFact(tables, comparison));
  if (!haveSameFields(tables.now, before)) {
    facts.push([phrase`the columns are not the same as in the last run.`]);
  } else if (!comparison && before.rows.length > 0 && !hasNumbers(tables.now)) {
    facts.push([phrase`some rows are not the same as in the last run.`]);
  }
  return facts.filter((wordings) => wordings.length > 0);
}

const hasNumbers = (table: DigestTable): boolean =>
  columnsWithRole(table, "amount").length + columnsWithRole(table, "level").length > 0;

/** Whether a title has all the words of a column's name. */
export function isNamedBy(title: string, field: string): boolean {
  const words = wordsOf(title);
  return wordsOf(field).every((word) => words.includes(word));
}
