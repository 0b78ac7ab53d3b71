import { z } from "zod";

const ColumnName = z.string().max(200);

const Condition = z.object({
  column: ColumnName,
  operator: z.enum(["equals", "not_equals", "less", "at_most", "more", "at_least", "contains", "is_empty"]),
  value: z.union([z.string().max(500), z.number(), z.boolean()]).optional(),
});
export type Condition = z.infer<typeof Condition>;
export const Conditions = z.array(Condition).max(6);

/** What is computed from some rows. */
export const Measure = z.object({
  column: ColumnName.optional().describe("Not needed to count rows"),
  operation: z.enum(["value", "sum", "count", "distinct_count", "average", "minimum", "maximum"]),
});
export type Measure = z.infer<typeof Measure>;
