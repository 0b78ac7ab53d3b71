import { isNumeric } from "../select-rows.ts";
import { refuse } from "../slot.ts";
import type { FigureOperation, Subject } from "../wording/wording.ts";
import { writeCount } from "../write-number.ts";
import { type Written, write } from "../written.ts";
import {
  type Amount,
  amountOf,
  columnIn,
  differenceOf,
  operationFor,
  textOf,
  writeAmount,
  writePair,
} from "./amounts.ts";
import { fieldAt, labelAt, valueColumn } from "./columns.ts";
import { findPeriod, relativePeriod } from "./parse-period.ts";
import { isLastRun, type Request } from "./request.ts";
import { type Selection, select, unknownPeriod } from "./selection.ts";
import { isPast, whereOf, whereOther } from "./where.ts";

/** "total revenue for "France" is 500, 200 (66.7%) more than for "Germany" (300)" */
export function writeFigure(request: Request, asked: FigureOperation | null): Written {
  request.allow(
    "column",
    "row",
    "period",
    "dates",
    "versus",
    "with_column",
    ...(asked === null ? ["op" as const] : []),
  );
  const { context } = request;
  const selection = select(request);
  const column = valueColumn(selection.table, request.find("column"));
  const field = fieldAt(selection.table, column);
  const others = otherSides(request, selection, column);
  if (asked === null && others.length === 0)
    return refuse("Say what to compare with: with=…, with_column=… or versus=…");
  const operation =
    asked ?? operationFor(request, field, [selection, ...others.map((other) => other.selection)]);
  const isNumber = isNumeric(field.type);
  const subject: Subject = {
    operation,
    label: labelAt(selection.table, column),
    isNumber,
    where: whereOf(selection, context),
  };
  if (!isNumber) {
    if (others.length > 0) return refuse("Only numbers are compared.");
    return context.wording.figure(subject, textOf(selection, column, operation, context), {
      isPast: isPast(selection, context),
      rowCount: null,
    });
  }
  const amount = amountOf(selection, column, operation);
  // A total or an average covers only the rows of the result, which may not be all rows.
  const isOfRows = operation === "average" || operation === "total";
  const rowCount = isOfRows ? givenIn(selection, column) : null;
  const counted = rowCount === null ? null : writeCount(rowCount, context.wording.numbers);
  let written = context.wording.figure(subject, writeAmount(amount, context), {
    isPast: isPast(selection, context),
    rowCount: counted,
  });
  for (const [index, other] of others.entries()) {
    const compared = versusText(request, { amount, other, operation });
    written = write`${written}${index === 0 ? ", " : ` ${context.wording.and} `}${compared}`;
  }
  return written;
}

const givenIn = ({ table, positions }: Selection, column: number): number =>
  positions.filter((position) => (table.rows[position]?.[column] ?? null) !== null).length;

interface Side {
  selection: Selection;
  column: number;
  /** Beginning with a space: " in September 2026", " cost". */
  named: Written;
}

/** What a figure is compared with: another period, another row, another column or the last run. */
function otherSides(request: Request, selection: Selection, column: number): Side[] {
  const sides = request.all("versus").map((text): Side => {
    const other = otherSelection(request, selection, text);
    return {
      selection: other,
      column: columnIn(other, fieldAt(selection.table, column).name),
      named: whereOther(other, selection, request.context),
    };
  });
  const columns = request.all("with_column").map((name): Side => {
    const other = columnIn(selection, name);
    const label = labelAt(selection.table, other);
    return { selection, column: other, named: write` ${label}` };
  });
  if (sides.length + columns.length > 2) return refuse("It compares with more than two things.");
  return [...sides, ...columns];
}

/** The rows that others are compared with. */
export function otherSelection(request: Request, selection: Selection, text: string): Selection {
  const other = findOther(request, selection, text);
  const isSame = whereOf(other, request.context).text === whereOf(selection, request.context).text;
  return isSame ? refuse("It is compared with itself.") : other;
}

function findOther(request: Request, selection: Selection, text: string): Selection {
  const { period, dates } = selection;
  if (isLastRun(text)) {
    if (selection.run === "before") return refuse("It compares the last run with itself.");
    return select(request, { run: "before", period });
  }
  if (period && dates) {
    const other = relativePeriod(text, period, dates) ?? findPeriod(text, dates, request.context.today);
    if (other) return select(request, { period: other });
  }
  if (request.all("row").length > 0) {
    if (request.all("row").length > 1)
      return refuse("Two rows are named, so it is not clear which one is compared.");
    const other = select(request, { rows: [text], period });
    if (other.conditionCount < selection.conditionCount)
      return refuse(
        `${JSON.stringify(text)} is a period, and no row. Name the period to compare with period=…`,
      );
    return other;
  }
  const conditions = request.conditions.filter(({ comparator }) => comparator === "=");
  const [condition, second] = conditions;
  if (condition && !second) return select(request.where(condition.name, text), { period });
  return unknownPeriod(text);
}

interface Compared {
  amount: Amount;
  other: Side;
  operation: FigureOperation;
}

function versusText({ context }: Request, { amount, other, operation }: Compared): Written {
  const against = amountOf(other.selection, other.column, operation);
  const { direction, size, percent, isSlight } = differenceOf(amount, against, context);
  const isShort = context.numbers === "short";
  const both = percent && !isShort ? write`${size} (${percent})` : (percent ?? size);
  const [, value] = writePair(amount, against, context);
  return context.wording.versus({
    direction,
    size: both,
    isSlight: isSlight && isShort,
    of: other.named,
    value: direction === "same" || (isShort && (percent !== null || isSlight)) ? null : value,
  });
}
