import type { Statement } from "../stored-results/operations.ts";
import { hasPlainName } from "./safe-name.ts";
import { type Slot, SlotRefusal } from "./slot.ts";
import { writeChange } from "./statements/change-statement.ts";
import { writeGaps, writeLatest, writePeriods } from "./statements/date-statements.ts";
import { writeFigure } from "./statements/figure-statements.ts";
import { writeExtremes, writeList, writeRank, writeShare } from "./statements/rank-statements.ts";
import { Request, type StatementContext } from "./statements/request.ts";
import {
  writeChanges,
  writeDistinct,
  writeEmpty,
  writeGroups,
  writeMovers,
  writeNewOrGone,
  writeRowCount,
} from "./statements/row-statements.ts";
import type { Written } from "./written.ts";

/** Computes a slot and writes it as one complete clause. */
export function writeStatement(slot: Slot, context: StatementContext): Statement {
  const { fields } = context.tables.now;
  // The model has chosen these names itself. Anything but a few plain words could be a whole sentence.
  if (context.isOwnSql && !fields.every(({ name }) => hasPlainName(name))) {
    return { kind: "refused", reason: "Name the columns of your SQL with plain words, such as order_value." };
  }
  try {
    return {
      kind: "written",
      written: wordSlot(slot, context.isOwnSql ? withModelNames(context) : context),
    };
  } catch (error) {
    if (error instanceof SlotRefusal) return { kind: "refused", reason: error.message };
    throw error;
  }
}

const withModelNames = (context: StatementContext): StatementContext => {
  const { now, before } = context.tables;
  const named = <Table extends object>(table: Table) => ({ ...table, isNamedByModel: true });
  return { ...context, tables: { now: named(now), before: before && named(before) } };
};

function wordSlot(slot: Slot, context: StatementContext): Written {
  const request = new Request(context, slot);
  switch (slot.operation) {
    case "value":
    case "total":
    case "average":
    case "smallest":
    case "largest":
      return writeFigure(request, slot.operation);
    case "compare":
      return writeFigure(request, null);
    case "change":
      return writeChange(request);
    case "share":
      return writeShare(request);
    case "top":
      return writeExtremes(request, true);
    case "bottom":
      return writeExtremes(request, false);
    case "rank":
      return writeRank(request);
    case "list":
      return writeList(request);
    case "movers":
      return writeMovers(request);
    case "count":
      return writeRowCount(request);
    case "distinct":
      return writeDistinct(request);
    case "groups":
      return writeGroups(request);
    case "empty":
      return writeEmpty(request);
    case "new_rows":
      return writeNewOrGone(request, true);
    case "gone_rows":
      return writeNewOrGone(request, false);
    case "changes":
      return writeChanges(request);
    case "periods":
      return writePeriods(request);
    case "latest":
      return writeLatest(request);
    case "gaps":
      return writeGaps(request);
  }
}
