import { z } from "zod";
import { comparisonLimits } from "./comparisons.ts";
import { Id } from "./ids.ts";
import { GetResult } from "./queries.ts";
import { PastFigures } from "./results.ts";
import { Timestamp } from "./time.ts";

/** How many past results one answer has at most. */
export const pastResultsPage = 500;

/** The past results of a query and set of values, as in `queries.result`. */
export const ListPastResults = GetResult.extend({
  column: z.string().max(200).optional().describe("The column whose figures are wanted"),
  limit: z.int().min(1).max(pastResultsPage).default(pastResultsPage),
  before: Timestamp.optional().describe("Only results that were completed before"),
});
export type ListPastResults = z.infer<typeof ListPastResults>;

export const PastResultItem = z.object({
  runId: Id,
  completedAt: Timestamp,
  rowCount: z.int(),
  isOutdated: z.boolean().describe("Whether another version of the query was run"),
  figures: PastFigures.shape.columns.element
    .nullable()
    .describe("Of the column that was named. Null until they are computed, a few minutes after the run"),
});
export type PastResultItem = z.infer<typeof PastResultItem>;

export const PastResultList = z.object({
  items: z.array(PastResultItem).describe(`Newest first, at most ${pastResultsPage}`),
  hasMore: z.boolean().describe("Whether there are older ones: ask again with `before`"),
  columns: z.array(z.string()).describe("The columns with figures, of the newest result that has any"),
  days: z.int().describe("How many days the organization keeps past results; 0: none"),
});
export type PastResultList = z.infer<typeof PastResultList>;

/** Two runs with results that are stored or kept as history, of the same query or of others. */
export const CompareResults = z.strictObject({
  from: Id.describe("The run of the earlier result"),
  to: Id.describe("The run of the newer result"),
  key: z
    .array(z.string().max(1000))
    .min(1)
    .max(comparisonLimits.keyColumns)
    .optional()
    .describe("The columns that together name a row. Absent: found"),
});
export type CompareResults = z.infer<typeof CompareResults>;
