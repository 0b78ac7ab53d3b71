import type { Figure } from "../checked-summaries/declaration.ts";
import { inBrackets, versus } from "./comparison.ts";
import { add, compare } from "./decimals.ts";
import type { Tables } from "./digest-table.ts";
import type { DraftFact } from "./draft-fact.ts";
import { isPlural, type Measured, type NumericColumn, writeMeasured } from "./numeric-column.ts";
import { inPeriod, periodName } from "./period-names.ts";
import { next, type Period, type Periods } from "./periods.ts";
import { capitalizedPhrase, figurePhrase, listed, type Phrase, phrase } from "./phrase.ts";
import { columnsWithRole, nameBy } from "./row-names.ts";
import { writeCount } from "./write-number.ts";
import { toTime } from "./written-day.ts";

const maxParts = 4;
/** With fewer periods, to be the highest of them is nothing special. */
const minForRecord = 4;

interface PeriodWork {
  tables: Tables;
  periods: Periods;
  columns: readonly NumericColumn[];
  thisYear: number;
}

/** "revenue was 2.36 M in October, 4% above September", and what else is worth saying of the latest periods. */
export function periodFacts(work: PeriodWork): DraftFact[] {
  const { periods, thisYear } = work;
  const columns = work.columns.filter(
    ({ isAmount, now }) => periods.isSingle || (isAmount && now.notFinite === 0),
  );
  const [lead, ...others] = columns;
  const latest = periods.past.at(-1);
  if (!lead) return [];
  if (!latest) return periods.current ? [currentFact(work, lead, periods.current)] : [];
  const parts = periods.isSingle ? columnParts(work, others, latest) : rowParts(work, lead, latest);
  return [
    latestFact(work, lead, latest),
    revisedFact(work, lead),
    partsFact(parts),
    periods.current ? currentFact(work, lead, periods.current) : [],
    recordFact(work, lead, latest, thisYear),
  ].filter((wordings) => wordings.length > 0);
}

/** The value of a period: of its row, or the sum of its rows. */
function measure({ periods }: PeriodWork, { field, now }: NumericColumn, period: Period): Measured | null {
  const values = period.rows.flatMap((row) => now.values[row] ?? []);
  const [first, ...others] = values;
  if (!first) return null;
  const value = others.reduce(add, first);
  return {
    value,
    of: { ...select(periods, period), column: field, operation: periods.isSingle ? "value" : "sum" },
  };
}

const select = (
  { column, isSingle }: Periods,
  { rows, cell }: Period,
): Pick<Figure, "result" | "rows" | "where"> =>
  isSingle
    ? { result: "now", rows: rows.map((row) => row + 1) }
    : { result: "now", where: [{ column, operator: "equals", value: cell }] };

const was = (column: NumericColumn) => (isPlural(column) ? "were" : "was");

function latestFact(work: PeriodWork, lead: NumericColumn, latest: Period): Phrase[] {
  const { periods, thisYear } = work;
  const before = periods.past.at(-2) ?? null;
  const now = measure(work, lead, latest);
  const when = inPeriod(periods, latest, thisYear);
  const earlier = before && measure(work, lead, before);
  if (!now) {
    const known = before && earlier;
    const last =
      known && phrase`; ${inPeriod(periods, before, thisYear)} it was ${writeMeasured(lead, earlier)}`;
    return [phrase`${lead.name} ${isPlural(lead) ? "have" : "has"} no value ${when}${last}.`];
  }
  const start = phrase`${lead.name} ${was(lead)} ${writeMeasured(lead, now)} ${when}`;
  const against = (period: Period, value: Measured) =>
    versus(
      lead,
      { now, before: value },
      {
        // The year of the latest period goes without saying.
        name: periodName(periods, period, latest.start.year),
        when: inPeriod(periods, period, latest.start.year),
      },
    );
  if (!before || !earlier) return [phrase`${start}.`];
  const short = phrase`${start}, ${against(before, earlier)}`;
  const longAgo = samePeriodBefore(periods, latest);
  const then = longAgo && longAgo !== before ? measure(work, lead, longAgo) : null;
  if (!longAgo || !then) return [phrase`${short}.`];
  return [phrase`${short} and ${against(longAgo, then)}.`, phrase`${short}.`];
}

/** The same month or quarter of the year before, or the same day of the week before. */
function samePeriodBefore({ unit, past }: Periods, { start }: Period): Period | null {
  if (unit === "week" || unit === "year") return null;
  const wanted = unit === "day" ? next(start, "week", -1) : next(start, "year", -1);
  return past.find((period) => toTime(period.start) === toTime(wanted)) ?? null;
}

/** "November so far: 1.1 M." */
function currentFact(work: PeriodWork, lead: NumericColumn, current: Period): Phrase[] {
  const value = measure(work, lead, current);
  if (!value) return [];
  const name = capitalizedPhrase(periodName(work.periods, current, work.thisYear));
  const what = work.periods.past.length === 0 ? `${lead.name} ` : "";
  return [phrase`${name} so far: ${what}${writeMeasured(lead, value)}.`];
}

/** A value of an older period that is not what it was in the last run. */
function revisedFact(work: PeriodWork, lead: NumericColumn): Phrase[] {
  const { periods, thisYear, tables } = work;
  const { before: earlier } = lead;
  const table = tables.before;
  const position = table?.fields.findIndex(({ name }) => name === periods.column) ?? -1;
  if (!periods.isSingle || !earlier || !table || position < 0) return [];
  const rows = new Map(table.rows.map((row, i) => [row[position] ?? null, i]));
  // The latest one may not have been over then.
  const revised = periods.past.slice(0, -1).flatMap((period) => {
    const now = measure(work, lead, period);
    const row = rows.get(period.cell);
    const value = row === undefined ? null : earlier.values[row];
    if (!now || row === undefined || !value || compare(now.value, value) === 0) return [];
    const of: Figure = { result: "before", rows: [row + 1], column: lead.field, operation: "value" };
    return [{ period, now, before: { value, of } }];
  });
  const last = revised.at(-1);
  if (!last) return [];
  const [from, to] = [writeMeasured(lead, last.before), writeMeasured(lead, last.now)];
  if (from.text === to.text) return [];
  const when = inPeriod(periods, last.period, thisYear);
  return [phrase`Since the last run, ${lead.name} ${when} has changed from ${from} to ${to}.`];
}

interface NamedPart {
  name: Phrase;
  column: NumericColumn;
  now: Measured;
  before: Measured | null;
}

/** "web was 1.18 M (up 3%), app 790,123 (down 1%) and store 390,000." */
function partsFact(parts: readonly NamedPart[]): Phrase[] {
  const written = parts.slice(0, maxParts).map(({ name, column, now, before }, i) => {
    const verb = i === 0 ? ` ${was(column)}` : "";
    return phrase`${name}${verb} ${writeMeasured(column, now)}${inBrackets(column, now, before)}`;
  });
  return written.map((_, i) => phrase`${listed(written.slice(0, written.length - i))}.`);
}

/** The other columns of a period. */
function columnParts(work: PeriodWork, columns: readonly NumericColumn[], latest: Period): NamedPart[] {
  const before = work.periods.past.at(-2);
  return columns.flatMap((column): NamedPart[] => {
    const now = measure(work, column, latest);
    if (!now) return [];
    return [
      { name: phrase`${column.name}`, column, now, before: before ? measure(work, column, before) : null },
    ];
  });
}

/** The rows of a period, the largest first, with those of the period before. */
function rowParts(work: PeriodWork, column: NumericColumn, latest: Period): NamedPart[] {
  const { tables, periods } = work;
  const [label] = columnsWithRole(tables.now, "label").filter((one) => one !== periods.position);
  if (label === undefined) return [];
  const cellAt = (row: number) => JSON.stringify(tables.now.rows[row]?.[label] ?? null);
  const before = new Map(periods.past.at(-2)?.rows.map((row) => [cellAt(row), row]));
  const isSplit = [latest, periods.past.at(-2)].some(
    (period) => period && new Set(period.rows.map(cellAt)).size < period.rows.length,
  );
  if (isSplit) return [];
  const valueAt = (row: number | undefined): Measured | null => {
    const value = row === undefined ? null : column.now.values[row];
    if (!value || row === undefined) return null;
    return { value, of: { result: "now", rows: [row + 1], column: column.field, operation: "value" } };
  };
  const parts = latest.rows.flatMap((row): NamedPart[] => {
    const now = valueAt(row);
    const name = nameBy({ table: tables.now, which: "now" }, [label], row);
    return now ? [{ name, column, now, before: valueAt(before.get(cellAt(row))) }] : [];
  });
  return parts.toSorted((one, other) => compare(other.now.value, one.now.value));
}

/** "That is the highest of 24 months." */
function recordFact(work: PeriodWork, lead: NumericColumn, latest: Period, thisYear: number): Phrase[] {
  const { periods } = work;
  const now = measure(work, lead, latest);
  const earlier = periods.past.slice(0, -1).flatMap((period) => measure(work, lead, period) ?? []);
  if (!now || earlier.length < periods.past.length - 1 || periods.past.length < minForRecord) return [];
  const orders = earlier.map(({ value }) => compare(now.value, value));
  const which = orders.every((order) => order > 0)
    ? "highest"
    : orders.every((order) => order < 0)
      ? "lowest"
      : null;
  if (!which) return [];
  const count = figurePhrase(writeCount(periods.past.length), {
    result: "now",
    where: [{ column: periods.column, operator: "at_most", value: latest.cell }],
    column: periods.column,
    operation: "distinct_count",
  });
  const name = capitalizedPhrase(periodName(periods, latest, thisYear));
  return [phrase`${name} had the ${which} ${lead.name} of ${count} ${periods.unit}s.`];
}
