import type { JsonValue } from "@querybell/domain/results";
import type { SplitRows } from "@querybell/summaries/operations";
import type { ResultTable } from "@querybell/summaries/result-table";
import { splitRows } from "@querybell/summaries/split-rows";
import type { Fact } from "../evaluate/outcomes.ts";
import { withoutRepeats } from "./changed-rows.ts";
import type { JudgeTask } from "./judge-task.ts";

interface ToldResult {
  charts: ReadonlyMap<string, ResultTable>;
  /** Of the chart that was judged, and what it was compared with. */
  result: ResultTable | null;
  base: ResultTable | null;
  facts: readonly Fact[];
}

/**
 * Splits the rows that are told into those of each recipient: those that the condition names, if it is about rows of the same
 * chart, otherwise all.
 */
export function splitToldRows(
  { shortId, ...split }: NonNullable<JudgeTask["recipients"]>,
  { charts, result, base, facts }: ToldResult,
): SplitRows {
  const table = charts.get(shortId);
  if (!table) return { problem: `The chart ${shortId} has no result.` };
  const told = table === result ? onlyTold(table, base, facts) : table;
  return splitRows(told, split, told.fields.length - table.fields.length);
}

function onlyTold(table: ResultTable, base: ResultTable | null, facts: readonly Fact[]): ResultTable {
  const changes = withoutRepeats(facts).flatMap(({ rows }) => rows);
  if (changes.length > 0) {
    // The last result may have had other columns, or the same in another order.
    const earlier = table.fields.map(({ name }) =>
      (base?.fields ?? []).findIndex((one) => one.name === name),
    );
    const rows = changes.map(({ change, now, before }): JsonValue[] => [
      change,
      ...(change === "left" ? earlier.map((column) => before?.[column] ?? null) : (now ?? [])),
    ]);
    return { ...table, fields: [{ name: newName(table), type: "string" }, ...table.fields], rows };
  }
  const matches = facts.filter((fact) => fact.kind === "matches");
  if (matches.length === 0) return table;
  const positions = new Set(matches.flatMap((fact) => [...fact.positions]));
  return { ...table, rows: table.rows.filter((_, position) => positions.has(position)) };
}

/** For the column that says how a row has changed: a name that no other column has. */
function newName({ fields }: ResultTable): string {
  const names = new Set(fields.map(({ name }) => name));
  let name = "change";
  while (names.has(name)) name = `${name}_`;
  return name;
}
