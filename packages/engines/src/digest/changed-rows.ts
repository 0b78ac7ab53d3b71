import type { RowComparison, RowPair } from "./compare-rows.ts";
import type { DigestTable, Tables } from "./digest-table.ts";
import type { DraftFact } from "./draft-fact.ts";
import { joined, type Phrase, phrase } from "./phrase.ts";
import { columnName } from "./plain-text.ts";
import { someRows } from "./row-count-facts.ts";
import {
  areUnique,
  cellPhrase,
  columnNamed,
  columnsWithRole,
  nameBy,
  namingColumns,
  roleAt,
} from "./row-names.ts";

const maxRows = 3;
const maxColumns = 3;

interface BothTables {
  now: DigestTable;
  before: DigestTable;
}

/** "db": status changed from "up" to "down"; 4 more rows changed. Names as many rows as fit. */
export function changedWordsFact({ now, before }: Tables, { key, changed }: RowComparison): DraftFact {
  if (before === null || changed === null || changed.length === 0) return [];
  const tables = { now, before };
  const isDeclarable = (column: number) => columnNamed(now, now.fields[column]?.name ?? "") !== null;
  const naming = namingColumns(now).filter(isDeclarable);
  const worded = [...naming, ...columnsWithRole(now, "other").filter(isDeclarable)];
  const changesIn = (pair: RowPair) => worded.filter((column) => isOther(tables, pair, column));
  const named = changed
    .values()
    .filter((pair) => changesIn(pair).length > 0)
    .take(maxRows)
    .toArray();
  // A changed value cannot identify a row for the reader.
  const isName = (column: number) =>
    !changed.some((pair) => isOther(tables, pair, column)) && areUnique(now, [column]);
  const single = named.length > 0 ? naming.find(isName) : undefined;
  const written = named.map((pair) => {
    const name = nameBy({ table: now, which: "now" }, single === undefined ? key : [single], pair.now);
    return phrase`${name}: ${writeChanges(tables, pair, changesIn(pair))}`;
  });
  const worthCounting = changed.filter((pair) => changesIn(pair).length > 0).map((pair) => pair.now);
  return written.map((_, i) => {
    const shown = written.slice(0, written.length - i);
    const more = worthCounting.slice(shown.length);
    const rest = more.length > 0 ? [phrase`${someRows("now", more, "more row")} changed`] : [];
    return phrase`${joined([...shown, ...rest], "; ")}.`;
  });
}

function isOther({ now, before }: BothTables, pair: RowPair, column: number): boolean {
  const cellsOf = [before.rows[pair.before]?.[column], now.rows[pair.now]?.[column]];
  const [from, to] = cellsOf.map((cell) => JSON.stringify(cell ?? null));
  return from !== to;
}

/** status changed from "up" to "down", place from "here" to "there" */
function writeChanges({ now, before }: BothTables, pair: RowPair, columns: readonly number[]): Phrase {
  const changes = columns.slice(0, maxColumns).map((column, i) => {
    const from = cellPhrase({ table: before, which: "before" }, column, pair.before);
    const to = cellPhrase({ table: now, which: "now" }, column, pair.now);
    // Long texts may differ only where they are not shown, and nested values are not for reading.
    const isShown = from.text !== to.text && roleAt(now, column) !== "other";
    const verb = i === 0 || !isShown ? " changed" : "";
    const name = columnName(now.fields[column]?.name ?? "");
    return isShown ? phrase`${name}${verb} from ${from} to ${to}` : phrase`${name}${verb}`;
  });
  const isMore = columns.length > changes.length;
  return joined([...changes, ...(isMore ? [phrase`and more`] : [])], ", ");
}
