import { toTime } from "../../digest/written-day.ts";
import { isNumeric } from "../select-rows.ts";
import { refuse } from "../slot.ts";
import type { Subject } from "../wording/wording.ts";
import { type Written, write } from "../written.ts";
import { amountOf, columnIn, differenceOf, operationFor, textOf, writePair } from "./amounts.ts";
import { fieldAt, labelAt, valueColumn } from "./columns.ts";
import { hasBegun, readDates } from "./dates.ts";
import { otherSelection } from "./figure-statements.ts";
import { findPeriod } from "./parse-period.ts";
import { isLastRun, type Request } from "./request.ts";
import { type Selection, select, unknownPeriod } from "./selection.ts";
import { whereOf, wherePeriod, whereRun } from "./where.ts";

/** "revenue rose by 4% from 5 in September 2026 to 6 in October 2026" */
export function writeChange(request: Request): Written {
  request.allow("column", "row", "period", "dates", "from", "since", "versus", "op");
  const { context } = request;
  const { wording } = context;
  const { now, before, isRuns } = sidesOf(request);
  const column = valueColumn(now.table, request.find("column"));
  const field = fieldAt(now.table, column);
  const earlier = columnIn(before, field.name);
  const isNumber = isNumeric(field.type);
  const label = labelAt(now.table, column);
  // What both sides have in common stands with the subject: the rows and, between runs, the period.
  const where = isRuns ? whereOf(now, context) : write`${now.named}${whereRun(now, context)}`;
  if (!isNumber) {
    if (!isRuns) return refuse("Texts change only since the last run: since=last_run.");
    const subject: Subject = { operation: "value", label, isNumber, where };
    const [from, to] = [textOf(before, earlier, "value", context), textOf(now, column, "value", context)];
    if (from.text === to.text) return refuse("It has not changed since the last run.");
    return wording.changedText({ subject, from, to, since: wording.sinceLastRun });
  }
  const operation = operationFor(request, field, [now, before]);
  const [to, from] = [amountOf(now, column, operation), amountOf(before, earlier, operation)];
  const { direction, size, percent } = differenceOf(to, from, context);
  const [toText, fromText] = writePair(to, from, context);
  return wording.change({
    subject: { operation, label, isNumber, where },
    direction,
    size: percent ?? size,
    from: fromText,
    to: toText,
    fromWhere: isRuns ? write`${wording.inLastRun}` : wherePeriod(before, context),
    toWhere: isRuns ? write`${wording.inThisRun}` : wherePeriod(now, context),
  });
}

interface Sides {
  now: Selection;
  before: Selection;
  isRuns: boolean;
}

/** Two runs, or two periods: the last one that is over and the one before it unless others are named. */
function sidesOf(request: Request): Sides {
  const [from = request.find("versus"), since] = [request.find("from"), request.find("since")];
  if (from !== undefined && since !== undefined) return refuse("It has both from and since.");
  if (since !== undefined && !isLastRun(since)) return refuse("since is last_run. For periods, write from=…");
  if (since !== undefined || (from !== undefined && isLastRun(from))) {
    if (request.run === "before") return refuse("It compares the last run with itself.");
    const now = select(request);
    return { now, before: select(request, { run: "before", period: now.period }), isRuns: true };
  }
  const asked = select(request);
  const dates = asked.dates ?? readDates(asked.table, request.find("dates"));
  const last = asked.period ?? findPeriod("last", dates, request.context.today) ?? unknownPeriod("last");
  if (!hasBegun(last, request.context.today)) return refuse("The period has not begun. Use compare.");
  const now = select(request, { period: last });
  const before = otherSelection(request, now, from ?? "previous");
  if (before.run !== now.run || before.named.text !== now.named.text)
    return refuse("A change is between two periods or two runs. To compare rows, use compare.");
  if (!before.period || toTime(before.period.start) >= toTime(last.start))
    return refuse("The period after `from` comes before it. Name the earlier one with from=…");
  return { now, before, isRuns: false };
}
