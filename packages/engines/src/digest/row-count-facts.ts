import type { Figure } from "../checked-summaries/declaration.ts";
import type { RowComparison } from "./compare-rows.ts";
import type { Tables } from "./digest-table.ts";
import type { DraftFact } from "./draft-fact.ts";
import { figurePhrase, listed, type Phrase, phrase } from "./phrase.ts";
import { columnName } from "./plain-text.ts";
import { columnNamed, columnsWithRole, nameBy, rowNamer } from "./row-names.ts";
import { writeCount } from "./write-number.ts";

const maxNames = 3;
const maxGroups = 4;

/** How many rows a result has. */
export const countPhrase = (result: keyof Tables, count: number): Phrase =>
  figurePhrase(writeCount(count), { result, operation: "count" });

/** "1 row", "5 rows": some of a result. */
export const someRows = (result: keyof Tables, rows: readonly number[], kind = "row"): Phrase => {
  const of: Figure = { result, rows: rows.map((row) => row + 1), operation: "count" };
  return phrase`${figurePhrase(writeCount(rows.length), of)} ${kind}${rows.length === 1 ? "" : "s"}`;
};

/** "there are 78 rows, 2 more than in the last run." */
export function countFact({ now, before }: Tables): DraftFact {
  const count = now.rows.length;
  const rows = phrase`${countPhrase("now", count)} ${count === 1 ? "row" : "rows"}`;
  const start = phrase`there ${count === 1 ? "is" : "are"} ${rows}`;
  const difference = count - (before?.rows.length ?? count);
  if (before === null || difference === 0) return [phrase`${start}.`];
  if (before.rows.length === 0) return [phrase`${start}; in the last run there were none.`];
  const written = writeCount(Math.abs(difference));
  const change: Phrase = {
    text: written,
    declarations: [
      {
        written,
        operation: "difference",
        of: { result: "now", operation: "count" },
        against: { result: "before", operation: "count" },
        direction: difference > 0 ? "up" : "down",
      },
    ],
  };
  return [phrase`${start}, ${change} ${difference > 0 ? "more" : "fewer"} than in the last run.`];
}

export function noRowsFact({ before }: Tables): DraftFact {
  const count = before?.rows.length ?? 0;
  if (count === 0) return [phrase`there are no rows.`];
  const rows = phrase`${countPhrase("before", count)} ${count === 1 ? "row" : "rows"}`;
  return [phrase`there are no rows any more; in the last run there ${count === 1 ? "was" : "were"} ${rows}.`];
}

/** The rows that were read of a result that a limit has cut. */
export const cutFact = ({ now }: Tables): DraftFact => [
  phrase`only the first ${someRows("now", [...now.rows.keys()])} could be read, so nothing is added up or compared.`,
];

/** New: "Tent" and "Spade"; gone: "Knife". */
export function addedAndGoneFact(tables: Tables, { added, gone }: RowComparison): DraftFact {
  const parts = [
    namedRows(tables, { which: "now", rows: added, label: "new" }),
    namedRows(tables, { which: "before", rows: gone, label: "gone" }),
  ].flatMap((part) => part ?? []);
  return parts.length > 0 ? [phrase`${listed(parts, "; ")}.`] : [];
}

function namedRows(
  tables: Tables,
  { which, rows, label }: { which: keyof Tables; rows: readonly number[]; label: string },
): Phrase | null {
  if (rows.length === 0) return null;
  const nameRow = rowNamer(tables, which);
  const names = rows.slice(0, maxNames).flatMap((row) => nameRow(row) ?? []);
  if (names.length === rows.length) return phrase`${label}: ${listed(names)}`;
  const some = label === "new" ? someRows(which, rows, "new row") : phrase`${someRows(which, rows)} gone`;
  const [example] = names;
  return example ? phrase`${some}, such as ${example}` : some;
}

/** By status: 60 "delivered" and 18 "shipped". */
export function groupsFact({ now }: Tables): DraftFact {
  for (const column of columnsWithRole(now, "label")) {
    const field = now.fields[column];
    if (field?.type !== "string" || columnNamed(now, field.name) === null) continue;
    // People who have the same name are no group.
    if (/name|title/i.test(field.name)) continue;
    const groups = new Map<string, number[]>();
    for (const [row, cells] of now.rows.entries()) {
      const cell = cells[column];
      if (typeof cell !== "string" || cell.trim() === "") break;
      const rows = groups.get(cell);
      if (rows) rows.push(row);
      else groups.set(cell, [row]);
      if (groups.size > maxGroups) break;
    }
    const rowCount = [...groups.values()].reduce((sum, rows) => sum + rows.length, 0);
    if (rowCount < now.rows.length || groups.size < 2 || groups.size * 2 > now.rows.length) continue;
    const parts = [...groups.values()]
      .toSorted((one, other) => other.length - one.length)
      .map((rows) => {
        const of: Figure = { result: "now", rows: rows.map((row) => row + 1), operation: "count" };
        const name = nameBy({ table: now, which: "now" }, [column], rows[0] ?? 0);
        return phrase`${figurePhrase(writeCount(rows.length), of)} ${name}`;
      });
    return [phrase`by ${columnName(field.name)}: ${listed(parts)}.`];
  }
  return [];
}
