import type { ResultTable } from "../result-table.ts";
export interface LookedAt {
  title: string;
  result: ResultTable;
  previous: ResultTable | null;
}
export const writeDigest = (looked: readonly LookedAt[]): string =>
  looked.map(({ title, result }) => `${title}: ${result.rows.length} rows.`).join(" ");
