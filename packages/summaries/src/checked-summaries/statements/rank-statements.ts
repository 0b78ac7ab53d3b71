import { toTime } from "../../digest/written-day.ts";
import { compare, signOf } from "../fraction.ts";
import { firstOf } from "../select-rows.ts";
import { type Attribute, refuse } from "../slot.ts";
import type { Subject } from "../wording/wording.ts";
import { writeCount } from "../write-number.ts";
import { valueFrom, type Written, write } from "../written.ts";
import {
  type Amount,
  amountOf,
  cutReason,
  differenceOf,
  operationFor,
  percentOfWhole,
  writeAmount,
} from "./amounts.ts";
import { fieldAt, findColumnNamed, isMeasure, labelAt, valueColumn } from "./columns.ts";
import { isIn, isOver } from "./dates.ts";
import { otherSelection } from "./figure-statements.ts";
import { beforeValue, type Group, groupRows, nameOfCell } from "./groups.ts";
import type { Request } from "./request.ts";
import { type Selection, select } from "./selection.ts";
import { periodSuffix, whereOf, whereOther, wherePeriod, whereRun } from "./where.ts";

interface Ranked extends Group {
  amount: Amount;
}

interface Ranking {
  subject: Subject;
  column: number;
  /** In the order of the result. Groups without a value are left out. */
  ranked: Ranked[];
  nameOf: (group: Group) => Written;
}

function rankGroups(request: Request, selection: Selection): Ranking {
  const { context } = request;
  if (selection.table.cut) return refuse(cutReason);
  const column = valueColumn(selection.table, request.find("column"));
  const field = fieldAt(selection.table, column);
  const { column: by, groups } = groupRows(request, selection);
  const operation = operationFor(
    request,
    field,
    groups.map((group) => group.selection),
  );
  const hasValue = ({ selection: { table, positions } }: Group) =>
    positions.some((position) => (table.rows[position]?.[column] ?? null) !== null);
  const ranked = groups
    .filter(hasValue)
    .map((group) => ({ ...group, amount: amountOf(group.selection, column, operation) }));
  const label = labelAt(selection.table, column);
  return {
    subject: { operation, label, isNumber: true, where: whereOf(selection, context) },
    column,
    ranked,
    nameOf: ({ cell }) => nameOfCell(selection, by, { cell, context }),
  };
}

const maxHolders = 3;

/** "Kettle" has the highest revenue, 420; or the highest values with their names. */
export function writeExtremes(request: Request, isTop: boolean): Written {
  request.allow("column", "row", "period", "dates", "by", "n", "op", "versus");
  const { context } = request;
  const { wording } = context;
  const selection = select(request);
  const ranking = rankGroups(request, selection);
  const { ranked } = ranking;
  const count = request.count(1, 8);
  const upward = (one: Ranked, other: Ranked) => compare(one.amount.value, other.amount.value);
  const ordered = firstOf(ranked, count + 1, (one, other) =>
    isTop ? -upward(one, other) : upward(one, other),
  );
  const [first] = ordered;
  if (!first) return refuse("There are no values.");
  if (count === 1) {
    const holders = ranked.filter((group) => upward(group, first) === 0);
    if (holders.length === ranked.length && holders.length > 1) return refuse("All values are the same.");
    if (holders.length > maxHolders) return refuse(`${holders.length} rows share this value.`);
    const before = comparedValues(request, selection, ranking);
    if (before && holders.length > 1)
      return refuse("Several rows share this value. Say n=2 or more to compare.");
    const earlier = before?.values.get(JSON.stringify(first.cell));
    const change = before && (earlier ?? refuse("There is no value to compare it with."));
    const value = writeAmount(first.amount, context);
    const written = wording.extreme({
      isTop,
      names: holders.map(ranking.nameOf),
      subject: ranking.subject,
      value: change ? write`${value} (${signedChange(first.amount, change, context)})` : value,
    });
    return before ? write`${written}${wording.comparedWith(before.named)}` : written;
  }
  if (ranked.length < count) return refuse(`There are only ${ranked.length} values.`);
  const [last, next] = [ordered[count - 1], ordered[count]];
  if (last && next && compare(last.amount.value, next.amount.value) === 0)
    return refuse(`The values at places ${count} and ${count + 1} are the same. Choose another n.`);
  const before = comparedValues(request, selection, ranking);
  const items = ordered.slice(0, count).map((group) => itemOf(request, { group, ranking, before }));
  const written = wording.ranking({
    isTop,
    count: writeCount(count, wording.numbers),
    subject: ranking.subject,
    items,
  });
  return before ? write`${written}${wording.comparedWith(before.named)}` : written;
}

interface Before {
  values: Map<string, Amount>;
  named: Written;
}

/** The values of the same groups in another period or in the last run. */
function comparedValues(request: Request, selection: Selection, { subject, column }: Ranking): Before | null {
  const [text, second] = request.all("versus");
  if (text === undefined) return null;
  if (second !== undefined) return refuse("It compares with more than one thing.");
  const other = otherSelection(request, selection, text);
  const name = fieldAt(selection.table, column).name;
  const { groups } = groupRows(request, other);
  const position = valueColumn(other.table, name);
  const values = new Map(
    groups.flatMap((group) => {
      const isGiven = group.selection.positions.some(
        (row) => (other.table.rows[row]?.[position] ?? null) !== null,
      );
      return isGiven
        ? [[JSON.stringify(group.cell), amountOf(group.selection, position, subject.operation)] as const]
        : [];
    }),
  );
  return { values, named: whereOther(other, selection, request.context) };
}

interface Item {
  group: Ranked;
  ranking: Ranking;
  before: Before | null;
}

/** "web" 1.29 M (+7.5%) */
function itemOf({ context }: Request, { group, ranking, before }: Item): Written {
  const earlier = before?.values.get(JSON.stringify(group.cell));
  const change = earlier ? write` (${signedChange(group.amount, earlier, context)})` : write``;
  return write`${beforeValue(ranking.nameOf(group), context)} ${writeAmount(group.amount, context)}${change}`;
}

/** "+7.5%", "-200", "±0" */
function signedChange(now: Amount, before: Amount, context: Request["context"]): Written {
  const { direction, size, percent } = differenceOf(now, before, context);
  if (direction === "same") return valueFrom("±0", now.source, before.source);
  return write`${direction === "up" ? "+" : "-"}${percent ?? size}`;
}

const maxListed = 8;

/** All values with their names, the highest first; or several columns of the same rows. */
export function writeList(request: Request): Written {
  request.allow("column", "columns", "row", "period", "dates", "by", "op", "versus");
  if (request.find("columns") !== undefined) return writeColumns(request);
  const { context } = request;
  const selection = select(request);
  const ranking = rankGroups(request, selection);
  const { ranked, subject } = ranking;
  if (ranked.length === 0) return refuse("There are no values.");
  if (ranked.length > maxListed)
    return refuse(`There are ${ranked.length} values. Use top with n=… instead.`);
  const before = comparedValues(request, selection, ranking);
  return context.wording.list({
    subject,
    comparedWith: before?.named ?? null,
    items: ranked
      .toSorted((one, other) => compare(other.amount.value, one.amount.value))
      .map((group) => itemOf(request, { group, ranking, before })),
  });
}

function writeColumns(request: Request): Written {
  const { context } = request;
  const selection = select(request);
  const names = (request.find("columns") ?? "").split(",").map((name) => name.trim());
  if (names.length > maxListed) return refuse(`It names more than ${maxListed} columns.`);
  const [text] = request.all("versus");
  const other = text === undefined ? null : otherSelection(request, selection, text);
  const items = names.map((name) => {
    const column = valueColumn(selection.table, name);
    const field = fieldAt(selection.table, column);
    const operation = operationFor(request, field, other ? [selection, other] : [selection]);
    const amount = amountOf(selection, column, operation);
    const before = other && amountOf(other, valueColumn(other.table, field.name), operation);
    const change = before ? write` (${signedChange(amount, before, context)})` : write``;
    const label = labelAt(selection.table, column);
    const subject = { operation, label, isNumber: true, where: write`` };
    const named = operation === "value" ? label : context.wording.subject(subject);
    return write`${named} ${writeAmount(amount, context)}${change}`;
  });
  const named = other && whereOther(other, selection, context);
  return context.wording.columns({ where: whereOf(selection, context), comparedWith: named, items });
}

/** "France" is number 2 of 3 by revenue (highest first), with 300 */
export function writeRank(request: Request): Written {
  request.allow("column", "row", "period", "dates", "by", "op");
  const { context } = request;
  const { wording } = context;
  const wanted = select(request);
  const by = request.find("by");
  const isByPeriods = by === undefined || findColumnNamed(wanted.table, by) === wanted.dates?.position;
  const rows = request.all("row");
  const isName = ({ name, comparator }: Attribute) =>
    comparator === "=" && !isMeasure(fieldAt(wanted.table, findColumnNamed(wanted.table, name)));
  const named = rows.length === 0 ? request.conditions.filter(isName) : [];
  const isOfPeriods = rows.length + named.length === 0 && wanted.period !== null && isByPeriods;
  if (!isOfPeriods && rows.length + named.length !== 1)
    return refuse("Name one row with row=…, or a period.");
  const others = named.reduce((without, { name }) => without.without(name), request);
  const everything = isOfPeriods
    ? overPeriods(request, wanted)
    : select(others, { rows: [], period: wanted.period });
  const asked = by === undefined ? (isOfPeriods ? wanted.dates?.name : named[0]?.name) : undefined;
  const ranking = rankGroups(asked === undefined ? request : request.with("by", asked), everything);
  const [position] = wanted.positions;
  const own = ranking.ranked.find((group) => group.selection.positions.includes(position ?? -1));
  if (!own || wanted.positions.some((one) => !own.selection.positions.includes(one)))
    return refuse("The row has no value, or is no separate group. Name the column with by=…");
  const order = (group: Ranked) => compare(group.amount.value, own.amount.value);
  const equals = ranking.ranked.filter((group) => order(group) === 0);
  if (equals.length > 1) return refuse("Others have the same value, so it has no single place.");
  const above = ranking.ranked.filter((group) => order(group) > 0).length;
  const number = (count: number) => writeCount(count, wording.numbers);
  const all = ranking.ranked.length;
  return wording.rank({
    name: ranking.nameOf(own),
    rank: number(above + 1),
    of: isOfPeriods && wanted.dates ? wording.ofUnits(wanted.dates.unit, number(all)) : number(all),
    subject: ranking.subject,
    value: writeAmount(own.amount, context),
  });
}

/** All rows. If the requested period is over, without the rows of periods that are not. */
function overPeriods(request: Request, { period, dates }: Selection): Selection {
  const all = select(request, { period: null });
  if (!period || !dates || !isOver(period, request.context.today)) return all;
  if (period.unit !== dates.unit) return refuse(`Only ${dates.unit}s can be ranked.`);
  const limit = toTime(request.context.today);
  return {
    ...all,
    positions: all.positions.filter((position) => {
      const day = dates.days[position];
      return day && toTime(day) < limit && isOver({ unit: dates.unit, start: day }, request.context.today);
    }),
  };
}

/** "France" has 62.5% of total revenue (500 of 800) */
export function writeShare(request: Request): Written {
  request.allow("column", "row", "period", "dates");
  const { context } = request;
  const { wording } = context;
  const part = select(request);
  const hasNames = part.names.length > 0;
  if (part.names.length < part.conditionCount) return refuse("A share is of rows that are named by texts.");
  if (part.names.length > 1) return refuse("A share is of rows that are named by one text.");
  if (!hasNames && part.period === null) return refuse("Name the part with row=… or period=…");
  const { period, dates, table } = part;
  const isCounted = (position: number) =>
    !hasNames || period === null || isIn(dates?.days[position] ?? null, period);
  const whole: Selection = { ...part, positions: [...table.rows.keys()].filter(isCounted) };
  const column = valueColumn(part.table, request.find("column"));
  const lowest = amountOf(whole, column, "smallest");
  if (signOf(lowest.value) < 0) return refuse("Some values are negative, so there are no shares.");
  const [amount, total] = [amountOf(part, column, "total"), amountOf(whole, column, "total")];
  const percent = percentOfWhole(amount, total, context);
  const where = hasNames
    ? write`${wherePeriod(part, context)}${whereRun(part, context)}`
    : write`${whereRun(part, context)}`;
  const periodName =
    period && dates
      ? write`${wording.period(period.unit, period.start)}${periodSuffix(dates, period, context)}`
      : write``;
  return wording.share({
    name: part.names[0] ?? periodName,
    label: labelAt(part.table, column),
    where,
    percent,
    part: writeAmount(amount, context),
    whole: writeAmount(total, context),
  });
}
