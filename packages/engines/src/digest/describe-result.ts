import { changedRowsWordings } from "./changed-rows.ts";
import { columnFigures } from "./column-figures.ts";
import { type ComparedColumn, extremesSentence, missingSentence, totalSentence } from "./column-sentences.ts";
import { columnNamed, compareRows, haveSameFields, haveSameRows } from "./compare-rows.ts";
import { compare } from "./decimals.ts";
import type { DigestTable, ReferenceResult } from "./digest-table.ts";
import { movesOf } from "./movers.ts";
import { columnName } from "./plain-text.ts";
import type { Fact, Report } from "./report.ts";
import { columnsWithRole, roleAt, rowNamer } from "./row-names.ts";
import { addedAndRemovedSentence, headSentence, moversWordings, quoteTitle } from "./row-sentences.ts";

type NameRow = (row: number) => string | null;

// More would not fit into a digest, and reading a column of a large result takes time.
const maxColumns = 8;

/** All facts that a digest could contain about one reference, the most important first. */
export function describeResult(reference: ReferenceResult): Report {
  const { result } = reference;
  const comparable = result.cut || reference.previous?.cut ? null : reference.previous;
  const isSame = comparable !== null && haveSameRows(result, comparable);
  const previous = isSame ? null : comparable;
  const summary = {
    title: quoteTitle(reference.title),
    state: comparable === null ? "unknown" : isSame ? "same" : "changed",
    head: headSentence(reference, isSame),
  } as const;
  if (result.rows.length === 0) return { ...summary, facts: [], columnCount: 0 };

  const positions = [...columnsWithRole(result, "amount"), ...columnsWithRole(result, "level")];
  const read = positions.slice(0, maxColumns).map((position) => readColumn(result, previous, position));
  const columns = [...read.filter(hasMoved), ...read.filter((column) => !hasMoved(column))];
  const nameRow = rowNamer(result);
  const [first = [], ...others] = columns.map((column) => columnFacts(column, nameRow));
  const changes =
    previous && previous.rows.length > 0 ? changeFacts({ result, previous }, columns, nameRow) : [];
  const lead = first.slice(0, 1);
  return {
    ...summary,
    facts: [
      ...(columns.some(hasMoved) ? [...lead, ...changes] : [...changes, ...lead]),
      ...first.slice(1),
      ...others.flatMap((facts) => facts.slice(0, 1)),
      ...others.flatMap((facts) => facts.slice(1)),
    ],
    columnCount: positions.length,
  };
}

/** Whether its total has changed and is mentioned. */
const hasMoved = (column: ComparedColumn): boolean =>
  column.before !== null &&
  compare(column.now.total, column.before.total) !== 0 &&
  totalSentence(column) !== null;

function readColumn(result: DigestTable, previous: DigestTable | null, position: number): ComparedColumn {
  const name = result.fields[position]?.name ?? "";
  const role = roleAt(result, position);
  const earlier = previous && columnNamed(result, name) !== null ? columnNamed(previous, name) : null;
  return {
    position,
    name: columnName(name),
    isAmount: role === "amount",
    now: columnFigures(result, position),
    // Only if the column had the same role: it may have been text.
    before:
      previous && earlier !== null && roleAt(previous, earlier) === role
        ? columnFigures(previous, earlier)
        : null,
    scope: result.cut ? " in these rows" : "",
  };
}

function columnFacts(column: ComparedColumn, nameRow: NameRow): Fact[] {
  const missing = missingSentence(column);
  const sentences = missing ? [missing] : [totalSentence(column), extremesSentence(column, nameRow)];
  return sentences
    .filter((sentence) => sentence !== null)
    .map((sentence) => ({ wordings: [sentence], column: column.position }));
}

function changeFacts(
  tables: { result: DigestTable; previous: DigestTable },
  columns: readonly ComparedColumn[],
  nameRow: NameRow,
): Fact[] {
  const facts: Fact[] = [];
  const say = (wordings: string[], column: number | null) => facts.push({ wordings, column });
  if (!haveSameFields(tables.result, tables.previous)) say(["The columns are not the same as before."], null);
  const comparison = compareRows(tables.result, tables.previous);
  if (comparison === null) {
    if (columns.length === 0) say(["Some rows are not the same as before."], null);
    return facts;
  }
  for (const { position, name, now, before } of columns) {
    const moves = before && tables.result.rows.length > 1 ? movesOf(comparison, now, before) : [];
    if (moves.length === 0) continue;
    say(moversWordings(name, moves, nameRow), position);
    break;
  }
  const addedAndRemoved = addedAndRemovedSentence(comparison, tables);
  if (addedAndRemoved !== null) say([addedAndRemoved], null);
  const changed = changedRowsWordings(tables, comparison);
  if (changed.length > 0) say(changed, null);
  return facts;
}
