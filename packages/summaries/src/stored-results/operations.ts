import { RowFilter } from "@querybell/domain/conditions";
import { FieldType, PastFigures, ResultPreview } from "@querybell/domain/results";
import { toStorable } from "@querybell/domain/text";
import { z } from "zod";
import { Language, Slot } from "../checked-summaries/slot.ts";
import { Written } from "../checked-summaries/written.ts";
import { Report } from "../digest/facts.ts";

const Conditions = z.array(RowFilter).max(6);

const Sort = z.object({ column: z.string().max(200), descending: z.boolean().default(false) });

export type Sort = z.infer<typeof Sort>;

export const ResultPage = z.object({
  where: Conditions.optional().describe("Only rows for which all of these hold"),
  sort: z.array(Sort).max(3).optional(),
  columns: z.array(z.string().max(200)).max(50).optional().describe("All columns unless given"),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(50).default(20),
});
export type ResultPage = z.infer<typeof ResultPage>;

/** What is computed from some rows. */
const Measure = z.object({
  column: z.string().max(200).optional().describe("Not needed to count rows"),
  operation: z.enum(["value", "sum", "count", "distinct_count", "average", "minimum", "maximum"]),
});
export type Measure = z.infer<typeof Measure>;

export const ResultAggregate = z.object({
  where: Conditions.optional().describe("Only rows for which all of these hold"),
  groupBy: z.array(z.string().max(200)).max(3).default([]),
  measures: z.array(Measure).min(1).max(6),
  descending: z.boolean().default(true).describe("By the first measure"),
  limit: z.int().min(1).max(50).default(20),
});
export type ResultAggregate = z.infer<typeof ResultAggregate>;

export const summaryLimits = { columns: 60, textCharacters: 100 } as const;

const SummaryText = z.string().max(summaryLimits.textCharacters + 1);
/** A number with all its digits, or a text. Null if there is none. */
const Figure = z.string().max(401).nullable();

export const ColumnSummary = z.object({
  name: SummaryText,
  type: FieldType,
  nulls: z.int(),
  distinct: z.int().describe("Different values, without null"),
  minimum: Figure,
  maximum: Figure,
  sum: Figure,
  notFinite: z.int().describe("Cells that are NaN or infinite: there is no sum and no extreme then"),
  isCut: z.boolean().describe("Whether the name or an extreme is a text of which the end is missing"),
});
export type ColumnSummary = z.infer<typeof ColumnSummary>;

export const ResultSummary = z.object({
  rowCount: z.int(),
  columnCount: z.int(),
  columns: z.array(ColumnSummary).max(summaryLimits.columns),
});
export type ResultSummary = z.infer<typeof ResultSummary>;

const Statement = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("written"), written: Written }),
  z.object({ kind: z.literal("refused"), reason: z.string().max(600) }),
]);
export type Statement = z.infer<typeof Statement>;

export const splitLimits = {
  columns: 100,
  nameCharacters: 200,
  /** Of the value that names a group. */
  valueCharacters: 320,
  problemCharacters: 1_000,
  groups: 500,
  /** Of the columns and rows of one group, and of all: what a host may send at once. */
  groupBytes: 64_000,
  allBytes: 2_500_000,
} as const;

/** How rows are split into groups: those with the same value in a column. */
export const RowSplit = z.object({
  column: z.string(),
  where: Conditions,
  /** Whether the column has mail addresses. */
  isAddress: z.boolean(),
  /** How many groups are returned; all are counted. */
  maxGroups: z.int().max(splitLimits.groups),
});
export type RowSplit = z.infer<typeof RowSplit>;

export const SplitRows = z.union([
  z.object({
    // One more than a chart has: how a row has changed.
    columns: z.array(z.string().max(splitLimits.nameCharacters)).max(splitLimits.columns + 1),
    groups: z
      .array(
        z.object({
          value: z
            .string()
            .max(splitLimits.valueCharacters + 1)
            .transform(toStorable),
          rowCount: z.int(),
          /** JSON of the first rows. */
          rows: z.string().max(splitLimits.groupBytes),
        }),
      )
      .max(splitLimits.groups),
    groupCount: z.int(),
    /** Rows without a value. */
    emptyCount: z.int(),
  }),
  z.object({ problem: z.string().max(splitLimits.problemCharacters) }),
]);
export type SplitRows = z.infer<typeof SplitRows>;

/** The rows of a group, as they are sent. */
export const GroupRows = z.array(z.array(z.string().nullable()));

/**
 * Operations of a host on stored results. The first result is the one that the operation is about. A new
 * operation needs an answer below and a case in `computeAnswer`. Hosts that compute nothing load this file
 * too, so it imports only schemas.
 */
export const ResultOperation = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview") }),
  /** Compares the first result with the second, if there is one. */
  z.object({
    name: z.literal("describe"),
    title: z.string(),
    today: z.iso.date(),
    /** The columns that the reference's chart shows. */
    shownColumns: z.array(z.string()),
  }),
  /** How the first result differs from the second. */
  z.object({ name: z.literal("changes") }),
  z.object({ name: z.literal("page"), page: ResultPage }),
  z.object({ name: z.literal("aggregate"), aggregate: ResultAggregate }),
  /** Counts, sums and extremes of each column. */
  z.object({ name: z.literal("summarize") }),
  /** Figures of the columns with numbers, of each result. */
  z.object({ name: z.literal("figures") }),
  /** The rows of each value of a column. */
  z.object({ name: z.literal("split"), split: RowSplit }),
  /** Fills slots about the first result, compared with the second, and finds which of the texts are cells. */
  z.object({
    name: z.literal("statements"),
    slots: z.array(Slot).max(160),
    language: Language,
    today: z.iso.date(),
    isOwnSql: z.boolean(),
    texts: z.array(z.string().max(200)).max(40),
  }),
]);
export type ResultOperation = z.infer<typeof ResultOperation>;

/** Rows of a result or of its groups, or why there are none. */
const Rows = z.union([
  z.object({
    preview: ResultPreview,
    rowNumbers: z.array(z.int()).optional().describe("Of rows of the result, counted from 1"),
  }),
  z.object({ problem: z.string() }),
]);

export const OperationAnswer = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview"), preview: ResultPreview }),
  z.object({ name: z.literal("describe"), report: Report }),
  z.object({ name: z.literal("changes"), changes: z.array(z.string().max(2000)).max(20) }),
  z.object({ name: z.literal("page"), rows: Rows }),
  z.object({ name: z.literal("aggregate"), rows: Rows }),
  z.object({ name: z.literal("summarize"), summary: ResultSummary }),
  z.object({ name: z.literal("figures"), figures: z.array(PastFigures) }),
  z.object({ name: z.literal("split"), groups: SplitRows }),
  z.object({
    name: z.literal("statements"),
    statements: z.array(Statement).max(160),
    areCells: z.array(z.boolean()).max(40),
  }),
]);
export type OperationAnswer = z.infer<typeof OperationAnswer>;
