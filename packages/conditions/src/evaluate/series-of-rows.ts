import type { Figure } from "@querybell/domain/conditions";
import { writeFraction } from "@querybell/summaries/fraction";
import { computeMeasure } from "@querybell/summaries/measure";
import type { ResultTable } from "@querybell/summaries/result-table";
import { asText, findColumn, selectRows } from "@querybell/summaries/select-rows";
import type { SeriesPoint } from "../ordinary/local-times.ts";

/** Results with more times are no series that somebody looks at, and take long. */
const maxPoints = 20_000;

/** A time series in the rows of a result: the figure of the rows of each time, in the order of the times. */
export function seriesOfRows(
  table: ResultTable,
  { figure, dates }: { figure: Figure; dates: string },
): { points: SeriesPoint[] } | { problem: string } {
  if (table.cut) return { problem: "A limit truncated the result, so rows may be missing from it." };
  const column = findColumn(table, dates);
  if (typeof column === "object") return column;
  const selection = selectRows(table, { where: figure.where });
  if ("problem" in selection) return selection;
  const byTime = new Map<number, number[]>();
  for (const position of selection.positions) {
    const cell = table.rows[position]?.[column] ?? null;
    if (cell === null) continue;
    const at = Date.parse(toUtc(asText(cell)));
    if (Number.isNaN(at)) return { problem: `${asText(cell)} in ${dates} is no date.` };
    const group = byTime.get(at);
    if (group) group.push(position);
    else byTime.set(at, [position]);
    if (byTime.size > maxPoints)
      return { problem: `There are more than ${maxPoints} times. Group by day or hour.` };
  }
  const points: SeriesPoint[] = [];
  for (const [at, positions] of byTime) {
    const computed = computeMeasure(table, positions, figure);
    if (computed.kind === "problem" && !computed.isEmpty) return { problem: computed.reason };
    if (computed.kind === "text") return { problem: "A text has no ordinary value." };
    points.push({ at, value: computed.kind === "number" ? Number(writeFraction(computed.value, 12)) : null });
  }
  return { points: points.sort((one, other) => one.at - other.at) };
}

/** A time without a zone is taken as UTC. */
const toUtc = (text: string): string => (text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text);
