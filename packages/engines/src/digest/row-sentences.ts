import { writeMove } from "./column-sentences.ts";
import type { RowComparison } from "./compare-rows.ts";
import type { DigestTable, ReferenceResult } from "./digest-table.ts";
import type { Move } from "./movers.ts";
import { quote } from "./plain-text.ts";
import { counted } from "./report.ts";
import { rowNamer } from "./row-names.ts";
import { writeCount, writeNumber } from "./write-number.ts";

const maxTitle = 60;
const rows = (count: number) => counted(writeCount(count), "row");

/** "Revenue by product": 12 rows, 2 more than before. */
export function headSentence({ title, result, previous }: ReferenceResult, isSame: boolean): string {
  const count = isSame ? `${countOf(result, null)}, nothing changed` : countOf(result, previous);
  return `${quoteTitle(title)}: ${count}.`;
}

export const quoteTitle = (title: string): string => quote(title, maxTitle);

function countOf(result: DigestTable, previous: DigestTable | null): string {
  const count = result.rows.length;
  const now = count === 0 ? "no rows" : rows(count);
  if (result.cut) return `first ${rows(count)}, the rest was cut${previous ? " (not compared)" : ""}`;
  if (previous === null) return now;
  if (previous.cut) return `${now} (not compared: the previous result was cut)`;
  const before = previous.rows.length;
  if (count === before) return `still ${now}`;
  if (count === 0) return `${now}, ${writeCount(before)} before`;
  if (before === 0) return `${now}, none before`;
  return `${now}, ${writeCount(Math.abs(count - before))} ${count > before ? "more" : "fewer"} than before`;
}

/** The rows that were added and removed, by name if it is only one. */
export function addedAndRemovedSentence(
  { added, gone }: RowComparison,
  { result, previous }: { result: DigestTable; previous: DigestTable },
): string | null {
  const named = (table: DigestTable, [only, ...others]: number[]) => {
    const name = only === undefined || others.length > 0 ? null : rowNamer(table)(only);
    return name === null ? "" : `: ${name}`;
  };
  const parts = [
    added.length > 0 ? `${counted(writeCount(added.length), "new row")}${named(result, added)}` : "",
    gone.length > 0 ? `${rows(gone.length)} gone${named(previous, gone)}` : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? `${parts.join("; ")}.` : null;
}

/** Wordings with the three largest changes, with two, and with one. */
export function moversWordings(
  column: string,
  moves: readonly Move[],
  nameRow: (row: number) => string | null,
): string[] {
  const readable = moves.slice(0, 3).flatMap(({ row, change, to }) => {
    const name = nameRow(row);
    return name === null ? [] : [`${name} ${writeMove(change)} to ${writeNumber(to)}`];
  });
  return readable
    .keys()
    .toArray()
    .reverse()
    .map((last) => {
      const more = moves.length - last - 1;
      const rest = more > 0 ? ` and ${writeCount(more)} more` : "";
      return `Biggest ${moves.length > 1 ? "moves" : "move"} of ${column}: ${readable.slice(0, last + 1).join(", ")}${rest}.`;
    });
}
