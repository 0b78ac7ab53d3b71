import { z } from "zod";
import { RowChange } from "./conditions.ts";
import { Field, type JsonValue } from "./results.ts";

/** Limits of the events that have changed rows. */
export const changedRowsLimits = {
  /** More rows go into a further event, as do more bytes of its body. */
  rowsOfPart: 200,
  bytesOfPart: 256 * 1024,
  /** What the body has besides `ChangedRowsPart`: ids, numbers and an address. */
  bytesOfEnvelope: 8 * 1024,
  /** A difference that needs more events is told without its rows. */
  parts: 100,
  /** The same for results whose columns take more. */
  bytesOfColumns: 64 * 1024,
  /** Parsers of many languages refuse JSON that is nested deeper. */
  levelsOfCell: 100,
} as const;

// Cells are not validated one by one: they are what the result has, and there can be a hundred thousand.
const Cells = z.custom<JsonValue[]>(Array.isArray, "must be a list").meta({ type: "array", items: {} });
const Positions = z.array(z.int().nonnegative());

const ChangedRow = z.strictObject({
  change: RowChange.describe(
    "`entered` also if a filter of the condition newly admits the row, `left` also if it no longer does",
  ),
  key: Cells.describe("The values of the columns of `key`, as they are or, of a row that left, as they were"),
  now: Cells.nullable().describe("The row as it is, in the order of `fields`; null if it is gone"),
  before: Cells.nullable().describe(
    "The row as it was in the result before, in the order of `fieldsBefore`; null if it was not there",
  ),
  omittedCells: z
    .strictObject({ key: Positions, now: Positions, before: Positions })
    .nullable()
    .describe(
      "Cells that are too large for an event or nested too deeply, by their positions: null stands in their place. Null if there are none",
    ),
});
export type ChangedRow = z.infer<typeof ChangedRow>;

/** A part of the rows that changed: what one event has of them. Values are those of the results, with all their digits. */
export const ChangedRowsPart = z.strictObject({
  key: z.array(z.string()).describe("The columns that identify a row"),
  fields: z.array(Field).describe("The columns of the result"),
  fieldsBefore: z.array(Field).describe("The columns of the result before"),
  rows: z.array(ChangedRow).max(changedRowsLimits.rowsOfPart),
});
export type ChangedRowsPart = z.infer<typeof ChangedRowsPart>;

const Count = z.int().nonnegative();

/** How many rows changed, in all parts together. */
export const ChangedRowsCounts = z.strictObject({
  entered: Count.describe("How many rows entered, in all parts together"),
  left: Count,
  changed: Count,
  omittedRows: Count.describe(
    "How many of them are in none of the parts: all if there are too many for events, otherwise 0",
  ),
});
export type ChangedRowsCounts = z.infer<typeof ChangedRowsCounts>;
