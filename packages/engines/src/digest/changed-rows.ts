import type { RowComparison, RowPair } from "./compare-rows.ts";
import type { DigestTable } from "./digest-table.ts";
import { columnName } from "./plain-text.ts";
import { counted } from "./report.ts";
import { areUnique, columnsWithRole, nameBy, namingColumns, roleAt, writeCell } from "./row-names.ts";
import { writeCount } from "./write-number.ts";

const maxRows = 3;
const maxColumns = 3;

interface Tables {
  result: DigestTable;
  previous: DigestTable;
}

/**
 * "db": status changed from "up" to "down"; 4 more rows changed. Names as many rows as fit, or only counts them. If
 * only figures changed, the count is enough, because other sentences are about figures.
 */
export function changedRowsWordings(tables: Tables, { key, changed }: RowComparison): string[] {
  if (changed === null || changed.length === 0) return [];
  const { result } = tables;
  const naming = namingColumns(result);
  const worded = [...naming, ...columnsWithRole(result, "other")];
  const changesIn = (pair: RowPair) => worded.filter((column) => isOther(tables, pair, column));
  const named = changed
    .values()
    .filter((pair) => changesIn(pair).length > 0)
    .take(maxRows)
    .toArray();
  // A changed value cannot identify a row for the reader.
  const isName = (column: number) =>
    !changed.some((pair) => isOther(tables, pair, column)) && areUnique(result, [column]);
  const single = named.length > 0 ? naming.find(isName) : undefined;
  const written = named.map((pair) => {
    const name = nameBy(result, single === undefined ? key : [single], pair.now);
    return `${name}: ${writeChanges(tables, pair, changesIn(pair))}`;
  });
  return [
    ...written.map((_, i) => listed(written.slice(0, written.length - i), changed.length)),
    `${counted(writeCount(changed.length), "row")} changed.`,
  ];
}

function listed(written: string[], count: number): string {
  const more = count - written.length;
  const rest = more > 0 ? [`${counted(writeCount(more), "more row")} changed`] : [];
  return `${[...written, ...rest].join("; ")}.`;
}

const cellsOf = ({ result, previous }: Tables, { now, before }: RowPair, column: number) =>
  [previous.rows[before]?.[column] ?? null, result.rows[now]?.[column] ?? null] as const;

function isOther(tables: Tables, pair: RowPair, column: number): boolean {
  const [from, to] = cellsOf(tables, pair, column);
  return JSON.stringify(from) !== JSON.stringify(to);
}

/** status changed from "up" to "down", place from "here" to "there" */
function writeChanges(tables: Tables, pair: RowPair, columns: readonly number[]): string {
  const changes = columns.slice(0, maxColumns).map((column, i) => {
    const field = tables.result.fields[column];
    const [from, to] = cellsOf(tables, pair, column).map((cell) => writeCell(field, cell));
    // Long texts may differ only where they are not shown, and nested values are not for reading.
    const isShown = from !== to && roleAt(tables.result, column) !== "other";
    const verb = i === 0 || !isShown ? " changed" : "";
    return `${columnName(field?.name ?? "")}${verb}${isShown ? ` from ${from} to ${to}` : ""}`;
  });
  const more = columns.length - changes.length;
  return [...changes, ...(more > 0 ? [counted(writeCount(more), "more column")] : [])].join(", ");
}
