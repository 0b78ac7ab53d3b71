import type { Field } from "@querybell/domain";
import type { ColumnLines } from "./column-lines.ts";
import type { SortAndFilter } from "./result-table.ts";

type OnTable<Kind extends string, More = object> = { id: number; kind: Kind; table: string } & More;

export type WorkerRequest =
  | OnTable<"open", { url: string }>
  | OnTable<"sortAndFilter", { order: SortAndFilter }>
  | OnTable<"rows", { from: number; to: number }>
  | OnTable<"lines", { from: number; to: number }>
  | OnTable<"close">;

type Answered<Kind extends string, More = object> = { id: number; kind: Kind } & More;

export type WorkerAnswer =
  | Answered<"opened", { fields: Field[]; rowCount: number }>
  | Answered<"sortedAndFiltered", { rowCount: number }>
  | Answered<"rows", { rows: (readonly unknown[])[] }>
  | Answered<"lines", { lines: ColumnLines }>
  | Answered<"closed">
  | Answered<"failed", { message: string }>
  | Answered<"unanswered">;
