import type { Field } from "@querybell/domain";
import type { ColumnLines } from "./column-lines.ts";
import type { Range, SortAndFilter, WantedTotal } from "./result-table.ts";

type OnTable<Kind extends string, More = object> = { id: number; kind: Kind; table: string } & More;

export type WorkerRequest =
  | OnTable<"open", { url: string }>
  /** `table` is the beginning of the names of the tables, which end with the id of their run. */
  | OnTable<"openAll", { bytes: Uint8Array<ArrayBuffer> }>
  | OnTable<"sortAndFilter", { order: SortAndFilter }>
  | OnTable<"rows", { from: number; to: number }>
  | OnTable<"lines", { from: number; to: number }>
  | OnTable<"totals", { wanted: readonly WantedTotal[] }>
  | OnTable<"close">;

type Answered<Kind extends string, More = object> = { id: number; kind: Kind } & More;

export interface OpenedTable {
  fields: Field[];
  rowCount: number;
  longest: unknown[][];
  ranges: Range[];
}

export type WorkerAnswer =
  | Answered<"opened", OpenedTable>
  | Answered<"openedAll", { opened: (OpenedTable & { runId: string })[] }>
  | Answered<"sortedAndFiltered", { rowCount: number }>
  | Answered<"rows", { rows: (readonly unknown[])[] }>
  | Answered<"lines", { lines: ColumnLines }>
  | Answered<"totals", { totals: (string | number | null)[] }>
  | Answered<"closed">
  | Answered<"failed", { message: string }>
  | Answered<"unanswered">;
