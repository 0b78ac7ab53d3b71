import { z } from "zod";
import { FieldType } from "./results.ts";

export const comparisonLimits = { columns: 200, rows: 200, textCharacters: 200, keyColumns: 8 } as const;

const Text = z.string().max(comparisonLimits.textCharacters + 1);
/** The text of a cell, cut if it is long. Null for NULL. */
const Cell = Text.nullable();

export const ComparedRow = z.object({
  change: z.enum(["added", "removed", "changed"]),
  cells: z.array(Cell).max(comparisonLimits.columns).describe("By column; of a removed row its last values"),
  before: z
    .array(z.object({ column: z.int().nonnegative(), cell: Cell }))
    .max(comparisonLimits.columns)
    .describe("The cells that were changed, by the index of their column, as they were"),
});
export type ComparedRow = z.infer<typeof ComparedRow>;

/** How a result differs from an earlier one. Rows are the same if their keys are; cells if their texts are. */
export const Comparison = z.object({
  key: z
    .array(Text)
    .max(comparisonLimits.keyColumns)
    .describe("The columns by which rows were found again. Empty: by all cells, so that no row is changed"),
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
  changed: z.int().nonnegative(),
  unchanged: z.int().nonnegative(),
  columns: z
    .array(
      z.object({
        name: Text,
        type: FieldType,
        state: z.enum(["same", "added", "removed", "other_type"]),
        changedCells: z.int().nonnegative(),
        sumChange: z
          .string()
          .max(401)
          .nullable()
          .describe("By how much the sum of a column with numbers has changed, with all digits"),
      }),
    )
    .max(comparisonLimits.columns),
  rows: z
    .array(ComparedRow)
    .max(comparisonLimits.rows)
    .describe("The first rows that were added or changed, then the removed ones"),
  hasMoreRows: z.boolean(),
});
export type Comparison = z.infer<typeof Comparison>;

/** What a host compares: the first result with the second, which is the newer one. */
export const ComparisonTask = z.object({
  key: z.array(z.string().max(1000)).max(comparisonLimits.keyColumns).nullable().describe("Null: found"),
  rowCounts: z.array(z.int().nonnegative()).length(2),
  jsonBytes: z.array(z.int().nonnegative()).length(2),
  writesFile: z.boolean().describe("Whether all rows are sent as a file, a compressed result"),
});
export type ComparisonTask = z.infer<typeof ComparisonTask>;

export const ComparisonOutcome = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("compared"),
    comparison: Comparison,
    fileRows: z.int(),
    fileJsonBytes: z.int(),
  }),
  z.object({ kind: z.literal("refused"), reason: z.string().max(1000) }),
]);
export type ComparisonOutcome = z.infer<typeof ComparisonOutcome>;
