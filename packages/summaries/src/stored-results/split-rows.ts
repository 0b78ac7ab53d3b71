import type { JsonValue } from "@querybell/domain/results";
import { cutText } from "@querybell/domain/text";
import { asText, findColumn, selectRows } from "../checked-summaries/select-rows.ts";
import { type RowSplit, type SplitRows, splitLimits } from "./operations.ts";
import type { ResultTable } from "./result-table.ts";

const {
  columns: maxColumns,
  nameCharacters,
  valueCharacters,
  problemCharacters,
  groupBytes,
  allBytes,
} = splitLimits;

/** The rows of each value of a column, in their order: what each of many people gets. */
export function splitRows(
  table: ResultTable,
  { column: name, where, isAddress, maxGroups }: RowSplit,
): SplitRows {
  const { fields, rows } = table;
  const problem = problemOf(table);
  if (problem !== undefined) return { problem };
  const column = findColumn(table, name);
  if (typeof column === "object") return shortened(column);
  const selection = selectRows(table, { where });
  if ("problem" in selection) return shortened(selection);
  const groups = new Map<string, number[]>();
  let emptyCount = 0;
  for (const position of selection.positions) {
    const value = toGroupValue(rows[position]?.[column] ?? null, isAddress);
    if (value === "") {
      emptyCount++;
      continue;
    }
    const group = groups.get(value);
    if (group) group.push(position);
    else groups.set(value, [position]);
  }
  const chosen = [...groups].slice(0, maxGroups);
  const maxBytes = Math.min(groupBytes, Math.floor(allBytes / Math.max(1, chosen.length)));
  return {
    columns: fields.map((field) => field.name),
    groups: chosen.map(([value, positions]) => ({
      value: value.length > valueCharacters ? `${cutText(value, valueCharacters)}…` : value,
      rowCount: positions.length,
      rows: writeRows(
        positions.map((position) => rows[position] ?? []),
        maxBytes,
      ),
    })),
    groupCount: groups.size,
    emptyCount,
  };
}

function problemOf({ fields, cut }: ResultTable): string | undefined {
  if (cut) return "A limit truncated the result, so somebody might get only some of their rows.";
  if (fields.length > maxColumns) {
    return `The chart has ${fields.length} columns. A message has at most ${maxColumns}.`;
  }
  const hasLongName = fields.some((field) => field.name.length > nameCharacters);
  return hasLongName ? "The name of a column is too long for a message. Give it a shorter one." : undefined;
}

const shortened = ({ problem }: { problem: string }) => ({ problem: cutText(problem, problemCharacters) });

/** Addresses that differ only in case or in spaces around them are the same. */
function toGroupValue(cell: JsonValue, isAddress: boolean): string {
  if (cell === null) return "";
  const text = asText(cell);
  return isAddress ? text.trim().toLowerCase() : text;
}

/** The first rows that fit, as JSON: a list of cells for each, exactly as a download has them. */
function writeRows(rows: readonly (readonly JsonValue[])[], maxBytes: number): string {
  const written: string[] = [];
  let bytesLeft = maxBytes;
  for (const row of rows) {
    const json = JSON.stringify(row.map((cell) => (cell === null ? null : asText(cell))));
    // As it is sent: JSON in JSON.
    bytesLeft -= Buffer.byteLength(JSON.stringify(json));
    if (bytesLeft < 0) break;
    written.push(json);
  }
  return `[${written.join(",")}]`;
}
