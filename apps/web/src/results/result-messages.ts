import type { Field } from "@querybell/domain";
import type { ColumnLines } from "./column-lines.ts";
import type { Range, SortAndFilter, WantedTotal } from "./result-table.ts";

type OnTable<Kind extends string, More = object> = { id: number; kind: Kind; table: string } & More;

export type WorkerRequest =
  | OnTable<"open", { url: string }>
  | OnTable<"sortAndFilter", { order: SortAndFilter }>
  | OnTable<"rows", { from: number; to: number }>
  | OnTable<"lines", { from: number; to: number }>
  | OnTable<"totals", { wanted: readonly WantedTotal[] }>
  | OnTable<"close">;

type Answered<Kind extends string, More = object> = { id: number; kind: Kind } & More;

export type WorkerAnswer =
  | Answered<"opened", { fields: Field[]; rowCount: number; longest: unknown[][]; ranges: Range[] }>
  | Answered<"sortedAndFiltered", { rowCount: number }>
  | Answered<"rows", { rows: (readonly unknown[])[] }>
  | Answered<"lines", { lines: ColumnLines }>
  | Answered<"totals", { totals: (string | number | null)[] }>
  | Answered<"closed">
  | Answered<"failed", { message: string }>
  | Answered<"unanswered">;
