import { compareRows, haveSameFields, haveSameRows, type RowPair } from "../../digest/compare-rows.ts";
import { compareDecimals, type Decimal, distance, parseDecimal } from "../../digest/decimals.ts";
import { firstOf, valueKey } from "../select-rows.ts";
import { refuse, SlotRefusal } from "../slot.ts";
import { writeCount } from "../write-number.ts";
import { valueFrom, type Written, write } from "../written.ts";
import { amountOf, cutReason, differenceOf, sourceOf, writeAmount } from "./amounts.ts";
import { fieldAt, isMeasure, labelAt, valueColumn } from "./columns.ts";
import { otherSelection } from "./figure-statements.ts";
import { beforeValue, groupRows, nameOfCell, nameOfRow } from "./groups.ts";
import type { Request } from "./request.ts";
import { type Selection, select } from "./selection.ts";
import { whereOf, whereOther } from "./where.ts";

/** "there are 2 rows for "Kettle" (of 3)" */
export function writeRowCount(request: Request): Written {
  request.allow("row", "period", "dates", "versus");
  const { context } = request;
  const { wording } = context;
  const selection = select(request);
  const { table, positions } = selection;
  const isAll = selection.conditionCount === 0 && selection.period === null;
  const number = (count: number) => writeCount(count, wording.numbers);
  const count = valueFrom(number(positions.length), sourceOf(selection, null));
  if (table.cut) return isAll ? wording.onlyFirstRows(count) : refuse(cutReason);
  const written = wording.count({
    count,
    isOne: positions.length === 1,
    isNone: positions.length === 0,
    where: whereOf(selection, context),
    all: isAll ? null : number(table.rows.length),
  });
  const [text, second] = request.all("versus");
  if (text === undefined) return written;
  if (second !== undefined) return refuse("It compares with more than one thing.");
  const other = otherSelection(request, selection, text);
  if (other.table.cut) return refuse(cutReason);
  const difference = positions.length - other.positions.length;
  const source = [sourceOf(selection, null), sourceOf(other, null)];
  const compared = wording.versus({
    direction: difference === 0 ? "same" : difference > 0 ? "up" : "down",
    size: valueFrom(number(Math.abs(difference)), ...source),
    isSlight: false,
    of: whereOther(other, selection, context),
    value:
      difference === 0 || context.numbers === "short"
        ? null
        : valueFrom(number(other.positions.length), source[1] ?? source[0] ?? sourceOf(other, null)),
  });
  return write`${written}, ${compared}`;
}

/** "there are 2 different values of product" */
export function writeDistinct(request: Request): Written {
  request.allow("column", "row", "period", "dates");
  const { context } = request;
  const selection = select(request);
  const { table, positions } = selection;
  if (table.cut) return refuse(cutReason);
  const name = request.find("column") ?? refuse("Name the column with column=…");
  const column = valueColumn(table, name);
  const cells = positions.map((position) => table.rows[position]?.[column] ?? null);
  const field = fieldAt(table, column);
  const { size } = new Set(cells.filter((cell) => cell !== null).map((cell) => valueKey(cell, field)));
  return context.wording.distinct({
    count: valueFrom(writeCount(size, context.wording.numbers), sourceOf(selection, field.name)),
    isOne: size === 1,
    label: labelAt(table, column),
    where: whereOf(selection, context),
  });
}

const maxGroups = 6;

/** rows by status: 9 "open" and 5 "waiting" */
export function writeGroups(request: Request): Written {
  request.allow("column", "by", "row", "period", "dates");
  const { context } = request;
  const selection = select(request);
  if (selection.table.cut) return refuse(cutReason);
  const name = request.find("column") ?? request.find("by") ?? refuse("Name the column with column=…");
  const { column, groups } = groupRows(request.with("by", name), selection);
  if (groups.length > maxGroups)
    return refuse(`There are ${groups.length} groups, and at most ${maxGroups} are written.`);
  if (groups.length === 0) return refuse("There are no rows.");
  const field = fieldAt(selection.table, column);
  const items = groups
    .toSorted((one, other) => other.selection.positions.length - one.selection.positions.length)
    .map((group) => {
      const count = writeCount(group.selection.positions.length, context.wording.numbers);
      const name = nameOfCell(selection, column, { cell: group.cell, context, isBare: true });
      const counted = valueFrom(count, sourceOf(group.selection, field.name));
      const before = beforeValue(name, context);
      return before === name ? write`${counted} ${name}` : write`${before} ${counted}`;
    });
  return context.wording.groups({
    label: labelAt(selection.table, column),
    where: whereOf(selection, context),
    items,
  });
}

/** "orders are empty in 2 of 3 rows" */
export function writeEmpty(request: Request): Written {
  request.allow("column", "row", "period", "dates");
  const { context } = request;
  const selection = select(request);
  const { table, positions } = selection;
  if (table.cut) return refuse(cutReason);
  const column = valueColumn(table, request.find("column"));
  const empty = positions.filter((position) => (table.rows[position]?.[column] ?? null) === null);
  const field = fieldAt(table, column);
  const number = (count: number) => writeCount(count, context.wording.numbers);
  return context.wording.empty({
    label: labelAt(table, column),
    count: valueFrom(number(empty.length), sourceOf({ ...selection, positions: empty }, field.name)),
    all: number(positions.length),
    where: whereOf(selection, context),
  });
}

function comparedRows(request: Request) {
  const [now, before] = [request.tableOf("now"), request.tableOf("before")];
  if (now.cut || before.cut) return refuse(cutReason);
  if (request.conditions.length > 0 || request.run === "before")
    return refuse("It is about all rows of both runs.");
  const comparison =
    compareRows(now, before) ?? refuse("No columns tell the rows apart, so they cannot be compared.");
  return { now, before, comparison };
}

const maxNames = 3;

/** new since the last run: "Tent" and "Spade" */
export function writeNewOrGone(request: Request, isNew: boolean): Written {
  request.allow();
  const { wording } = request.context;
  const { now, before, comparison } = comparedRows(request);
  const rows = isNew ? comparison.added : comparison.gone;
  if (rows.length === 0) return write`${isNew ? wording.noNewRows : wording.noGoneRows}`;
  const side = isNew ? ({ table: now, run: "now" } as const) : ({ table: before, run: "before" } as const);
  const columns = isNew ? comparison.key : comparison.keyBefore;
  const names = rows
    .slice(0, maxNames)
    .flatMap((position) => findName(() => nameOfRow(side, columns, { position, context: request.context })));
  if (names.length === rows.length) return isNew ? wording.newRows(names) : wording.goneRows(names);
  const source = { run: side.run, column: null, rows: rows.slice(0, 100).map((row) => row + 1) };
  const count = valueFrom(writeCount(rows.length, wording.numbers), source);
  const [example = null] = names;
  return isNew
    ? wording.someNewRows(count, rows.length === 1, example)
    : wording.someGoneRows(count, rows.length === 1, example);
}

/** The name, or nothing if it cannot be published. Such rows are only counted. */
function findName(name: () => Written): Written[] {
  try {
    return [name()];
  } catch (error) {
    if (error instanceof SlotRefusal) return [];
    throw error;
  }
}

/** What has changed since the last run, in counts. */
export function writeChanges(request: Request): Written {
  request.allow();
  if (request.conditions.length > 0 || request.run === "before")
    return refuse("It is about all rows of both runs.");
  const { wording } = request.context;
  const [now, before] = [request.tableOf("now"), request.tableOf("before")];
  if (now.cut || before.cut) return refuse(cutReason);
  if (haveSameRows(now, before)) return write`${wording.nothingChanged}`;
  if (!haveSameFields(now, before)) return write`${wording.otherColumns}`;
  const comparison = compareRows(now, before);
  if (!comparison?.changed) return write`${wording.otherRows}`;
  const number = (count: number) => writeCount(count, wording.numbers);
  return wording.changedRows({
    added: number(comparison.added.length),
    gone: number(comparison.gone.length),
    changed: number(comparison.changed.length),
  });
}

/** the biggest changes in revenue since the last run: "Kettle" +120 to 420 */
export function writeMovers(request: Request): Written {
  request.allow("column", "n");
  const { context } = request;
  const { now, before, comparison } = comparedRows(request);
  const column = valueColumn(now, request.find("column"));
  const field = fieldAt(now, column);
  if (!isMeasure(field)) return refuse("The column holds no measures.");
  const earlier = valueColumn(before, field.name);
  const at = (run: "now" | "before", position: number): Selection => ({
    run,
    table: run === "now" ? now : before,
    positions: [position],
    named: write``,
    period: null,
    dates: null,
    names: [],
    conditionCount: 0,
  });
  const moves: { pair: RowPair; size: Decimal }[] = [];
  // A value that appeared or disappeared is a change without a size.
  let hasOthers = false;
  for (const pair of comparison.pairs) {
    const [cell, was] = [now.rows[pair.now]?.[column] ?? null, before.rows[pair.before]?.[earlier] ?? null];
    if (cell === was) continue;
    const [to, from] = [parseDecimal(cell), parseDecimal(was)];
    const size = to && from && distance(to, from);
    if (!size) hasOthers = true;
    else if (size.units !== 0n) moves.push({ pair, size });
  }
  if (moves.length === 0) return refuse("No row has another value than in the last run.");
  const count = Math.min(request.count(2, 5), moves.length);
  const largest = firstOf(moves, count + 1, (one, other) => compareDecimals(other.size, one.size));
  const [last, next] = [largest[count - 1], largest[count]];
  if (last && next && compareDecimals(last.size, next.size) === 0)
    return refuse(`The changes at places ${count} and ${count + 1} are the same. Choose another n.`);
  return context.wording.movers({
    subject: { operation: "value", label: labelAt(now, column), isNumber: true, where: write`` },
    isAll: count === moves.length && !hasOthers,
    // Rows that appeared or disappeared changed the column, too.
    isOfBothRuns: comparison.added.length + comparison.gone.length > 0,
    items: largest.slice(0, count).map(({ pair }) => {
      const to = amountOf(at("now", pair.now), column, "value");
      const from = amountOf(at("before", pair.before), earlier, "value");
      const { direction, size: by } = differenceOf(to, from, context);
      const named = { position: pair.now, context };
      return {
        name: beforeValue(nameOfRow({ table: now, run: "now" }, comparison.key, named), context),
        by: write`${direction === "up" ? "+" : "-"}${by}`,
        to: writeAmount(to, context),
      };
    }),
  });
}
