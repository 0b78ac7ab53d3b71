import { setImmediate as nextTurn } from "node:timers/promises";
import { type ChangedRowsCounts, ChangedRowsPart, changedRowsLimits } from "@querybell/domain/changed-rows";
import { unexpectedAnswer } from "./failures.ts";

/** The changed rows that a run tells. Each part is the JSON of a `ChangedRowsPart`. */
export interface ChangedRows {
  counts: ChangedRowsCounts;
  parts: Uint8Array[];
}

/**
 * Checks the parts that a host has sent. They stay JSON, since rows take several times as much memory once they are
 * parsed. Each part is parsed in its own turn of the event loop.
 */
export async function checkChangedRows(
  counts: ChangedRowsCounts | null,
  parts: Uint8Array[],
): Promise<ChangedRows | null> {
  const { parts: maxParts, bytesOfPart, bytesOfEnvelope } = changedRowsLimits;
  const isTooLarge = parts.some(({ length }) => length > bytesOfPart - bytesOfEnvelope);
  if (parts.length > maxParts || isTooLarge || (counts === null) !== (parts.length === 0)) throw unexpected();
  if (!counts) return null;
  let rows = 0;
  for (const part of parts) {
    rows += readChangedRows(part).rows.length;
    await nextTurn();
  }
  const { entered, left, changed, omittedRows } = counts;
  if (rows + omittedRows !== entered + left + changed) throw unexpected();
  return { counts, parts };
}

const unexpected = () => unexpectedAnswer("changed rows that do not fit together");

/** Parses a part of changed rows. */
export const readChangedRows = (part: Uint8Array): ChangedRowsPart =>
  ChangedRowsPart.parse(JSON.parse(Buffer.from(part).toString()));
