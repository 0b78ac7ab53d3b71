import { z } from "zod";
import { DatabaseId } from "./databases.ts";
import { Id } from "./ids.ts";
import { FieldType, ResultPreview } from "./results.ts";
import { OneLine, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** The name of a schema, a table or a column. All three together fit into an index. */
const ObjectName = Text.min(1, "must not be empty").max(200, "must have at most 200 characters");

export const DatabaseTableName = DatabaseId.extend({ schema: ObjectName, table: ObjectName });
export type DatabaseTableName = z.infer<typeof DatabaseTableName>;

export const DatabaseColumnName = DatabaseTableName.extend({ column: ObjectName });
export type DatabaseColumnName = z.infer<typeof DatabaseColumnName>;

/** Long texts are cut and end with an ellipsis. */
const Value = ResultPreview.shape.rows.element.element;
export type TableValue = z.infer<typeof Value>;

export const TablePreview = z.object({
  fields: ResultPreview.shape.fields,
  rows: ResultPreview.shape.rows,
  hasMore: z.boolean().describe("Whether the table has more rows, or columns, than these"),
});
export type TablePreview = z.infer<typeof TablePreview>;

/** What a column holds. */
export const ColumnProfile = z.object({
  type: FieldType,
  rows: z.int().describe("The number of rows that were read"),
  isSample: z.boolean().describe("Whether the table has more rows, so that these are only its first ones"),
  nulls: z.int(),
  distinct: z
    .int()
    .nullable()
    .describe("The number of different values; null if the type cannot be compared"),
  range: z
    .object({ least: Value, greatest: Value })
    .nullable()
    .describe("Null if the type has no order, or if there is no value"),
  frequent: z
    .array(z.object({ value: Value, count: z.int() }))
    .describe("The most frequent values; none if every value occurs once"),
});
export type ColumnProfile = z.infer<typeof ColumnProfile>;

/** What a person writes about a table or one of its columns. */
export const SaveDescription = DatabaseTableName.extend({
  column: ObjectName.nullable().describe("Null for the table itself"),
  description: OneLine.max(500, "must have at most 500 characters").describe("An empty text removes it"),
});
export type SaveDescription = z.infer<typeof SaveDescription>;

export const TableDescription = z.object({
  schema: z.string(),
  table: z.string(),
  column: z.string().nullable().describe("Null for the table itself"),
  description: z.string(),
  updatedBy: Id.nullable(),
  updatedAt: Timestamp,
});
export type TableDescription = z.infer<typeof TableDescription>;
