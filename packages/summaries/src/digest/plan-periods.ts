import { isStale, missingPeriods } from "../checked-summaries/statements/date-statements.ts";
import { readDates } from "../checked-summaries/statements/dates.ts";
import type { Tables } from "../stored-results/result-table.ts";
import { columnsWithRole } from "./column-roles.ts";
import { add, compareDecimals, type Decimal } from "./decimals.ts";
import { type PlannedFact, slot } from "./facts.ts";
import type { NumericColumn } from "./numeric-column.ts";
import { next, type Period, type Periods } from "./periods.ts";
import { type Day, isoDay, toTime } from "./written-day.ts";

const maxParts = 4;
/** With fewer periods, being the highest of them is not remarkable. */
const minForRecord = 4;

interface PeriodWork {
  tables: Tables;
  periods: Periods;
  /** The most important first. */
  columns: readonly NumericColumn[];
  today: Day;
}

/** What is worth saying of the latest periods: their values, what is missing, what is not over. */
export function planPeriods(work: PeriodWork): PlannedFact[] {
  const { periods } = work;
  const columns = work.columns.filter(
    ({ isAmount, now }) => periods.isSingle || (isAmount && now.notFinite === 0),
  );
  const [lead, ...others] = columns;
  if (!lead) return [];
  const latest = periods.past.at(-1);
  const current = periods.current ? [[figure(work, lead, periods.current)]] : [];
  if (!latest) return [current];
  const [first] = work.columns;
  // The total of a rate means nothing, but its rows can be mentioned if the chart shows it.
  const shownLevel = first && !columns.includes(first) ? rowParts(work, first, latest) : [];
  return [
    shownLevel,
    latestFact(work, lead, latest),
    gapsFact(work),
    revisedFact(work, lead),
    periods.isSingle ? columnParts(work, others, latest) : rowParts(work, lead, latest),
    current,
    recordFact(work, lead, latest),
  ].filter((wordings) => wordings.length > 0);
}

/** A period as a slot names it. */
function nameOf({ unit }: Periods, { start }: Period): string {
  const day = isoDay(start);
  switch (unit) {
    case "year":
      return day.slice(0, 4);
    case "quarter":
      return `${day.slice(0, 4)}-Q${Math.ceil(start.month / 3)}`;
    case "month":
      return day.slice(0, 7);
    case "week":
    case "day":
      return day;
  }
}

const figure = ({ periods }: PeriodWork, { field }: NumericColumn, period: Period, versus: Period[] = []) =>
  slot(periods.isSingle ? "value" : "total", {
    column: field,
    period: nameOf(periods, period),
    dates: periods.column,
    versus: versus.map((other) => nameOf(periods, other)),
  });

/** The value of a period: of its row, or the sum of its rows. */
function amountIn({ now }: NumericColumn, { rows }: Period): Decimal | null {
  const [first, ...others] = rows.flatMap((row) => now.values[row] ?? []);
  return first ? others.reduce(add, first) : null;
}

/** The latest whole period, compared with the one before and a year ago; and that no rows came since, if so. */
function latestFact(work: PeriodWork, lead: NumericColumn, latest: Period): PlannedFact {
  const { periods, tables, today } = work;
  const dates = slot("latest", { dates: periods.column });
  const stale = isStale(readDates(tables.now, periods.column), today) ? [dates] : [];
  if (!amountIn(lead, latest)) {
    const empty = slot("empty", {
      column: lead.field,
      period: nameOf(periods, latest),
      dates: periods.column,
    });
    return [[empty, ...stale]];
  }
  const before = periods.past.at(-2);
  const compared = before && amountIn(lead, before) ? [before] : [];
  const longAgo = samePeriodBefore(periods, latest);
  const both = longAgo && longAgo !== before && amountIn(lead, longAgo) ? [...compared, longAgo] : compared;
  const wordings = [both, compared, []].map((versus) => [figure(work, lead, latest, versus), ...stale]);
  return stale.length > 0 ? [...wordings, stale] : wordings;
}

/** The same month or quarter of the year before, or the same day of the week before. */
function samePeriodBefore({ unit, past }: Periods, { start }: Period): Period | null {
  if (unit === "week" || unit === "year") return null;
  const wanted = unit === "day" ? next(start, "week", -1) : next(start, "year", -1);
  return past.find((period) => toTime(period.start) === toTime(wanted)) ?? null;
}

/** Periods without rows between others, unless most are missing: then the dates are no sequence. */
function gapsFact({ periods, tables }: PeriodWork): PlannedFact {
  const dates = readDates(tables.now, periods.column);
  const missing = missingPeriods(dates)?.length ?? 0;
  const isUnusual = missing > 0 && missing * 4 <= dates.starts.length + missing;
  return isUnusual ? [[slot("gaps", { dates: periods.column })]] : [];
}

/** A value of an older period that is not what it was in the last run. */
function revisedFact(work: PeriodWork, lead: NumericColumn): PlannedFact {
  const { periods, tables } = work;
  const { before: earlier } = lead;
  const table = tables.before;
  const position = table?.fields.findIndex(({ name }) => name === periods.column) ?? -1;
  if (!periods.isSingle || !earlier || !table || position < 0) return [];
  const rows = new Map(table.rows.map((row, i) => [row[position] ?? null, i]));
  // The latest one may not have been over then.
  const revised = periods.past.slice(0, -1).findLast((period) => {
    const now = amountIn(lead, period);
    const value = earlier.values[rows.get(period.cell) ?? -1];
    return now && value && compareDecimals(now, value) !== 0;
  });
  if (!revised) return [];
  const period = nameOf(periods, revised);
  return [[slot("change", { column: lead.field, period, dates: periods.column, since: "last_run" })]];
}

/** The other columns of a period. */
function columnParts(work: PeriodWork, columns: readonly NumericColumn[], latest: Period): PlannedFact {
  const { periods } = work;
  const before = periods.past.at(-2);
  const isThere = (column: NumericColumn) => amountIn(column, latest) !== null && !column.field.includes(",");
  const parts = columns.filter(isThere).slice(0, maxParts);
  const compared = before && parts.every((column) => amountIn(column, before)) ? before : undefined;
  return parts.map((_, i) => [
    slot("list", {
      columns: parts
        .slice(0, parts.length - i)
        .map(({ field }) => field)
        .join(", "),
      period: nameOf(periods, latest),
      dates: periods.column,
      versus: compared && nameOf(periods, compared),
    }),
  ]);
}

/** The rows of a period, the largest first, with those of the period before. */
function rowParts({ tables, periods }: PeriodWork, column: NumericColumn, latest: Period): PlannedFact {
  const [label] = columnsWithRole(tables.now, "label").filter((one) => one !== periods.position);
  const by = label === undefined ? undefined : tables.now.fields[label]?.name;
  if (by === undefined) return [];
  const before = periods.past.at(-2);
  const common = {
    column: column.field,
    by,
    period: nameOf(periods, latest),
    dates: periods.column,
    versus: before && nameOf(periods, before),
  };
  return [
    [slot("list", common)],
    [slot("top", { ...common, n: String(maxParts) })],
    [slot("top", { ...common, versus: undefined })],
  ];
}

/** Whether the latest is the highest or the lowest of several. */
function recordFact(work: PeriodWork, lead: NumericColumn, latest: Period): PlannedFact {
  const { periods } = work;
  const now = amountIn(lead, latest);
  const earlier = periods.past.slice(0, -1).flatMap((period) => amountIn(lead, period) ?? []);
  if (!now || earlier.length < periods.past.length - 1 || periods.past.length < minForRecord) return [];
  const orders = earlier.map((value) => compareDecimals(now, value));
  const isRecord = orders.every((order) => order > 0) || orders.every((order) => order < 0);
  if (!isRecord) return [];
  return [[slot("rank", { column: lead.field, period: nameOf(periods, latest), dates: periods.column })]];
}
