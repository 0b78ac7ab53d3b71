import { z } from "zod";

const ColumnName = z.string().max(200);

const Condition = z.object({
  column: ColumnName,
  operator: z.enum(["equals", "not_equals", "less", "at_most", "more", "at_least", "contains", "is_empty"]),
  value: z.union([z.string().max(500), z.number(), z.boolean()]).optional(),
});
export type Condition = z.infer<typeof Condition>;
export const Conditions = z.array(Condition).max(6);

/** One number, date or text of a result: which rows, which column, and what is computed from them. */
export const Figure = z.object({
  result: z.string().max(40).describe("The id of the result, such as r1, or r1_before for the run before"),
  rows: z
    .array(z.int().min(1))
    .max(200)
    .optional()
    .describe("Row numbers, counted from 1 as the tools show them. All rows unless given."),
  where: Conditions.optional().describe("Only rows for which all of these hold"),
  column: ColumnName.optional().describe("Not needed to count rows"),
  operation: z
    .enum(["value", "sum", "count", "distinct_count", "average", "minimum", "maximum"])
    .describe("value: the cell of one row"),
});
export type Figure = z.infer<typeof Figure>;

/** Says where something that is written in a sentence comes from. */
export const Declaration = z.object({
  written: z.string().min(1).max(100).describe("Exactly as it stands in the sentence, such as 2.36 M or 4 %"),
  operation: z
    .enum(["figure", "difference", "ratio", "percentage", "percentage_change"])
    .describe(
      "figure: `of` itself; difference: of - against; ratio: of / against; percentage: 100 * of / against " +
        "(without `against`, 100 * of); percentage_change: 100 * (of - against) / against",
    ),
  of: Figure,
  against: Figure.optional(),
  direction: z
    .enum(["up", "down"])
    .optional()
    .describe("Of a difference or percentage_change that is written without + or -"),
});
export type Declaration = z.infer<typeof Declaration>;

export const DeclaredSentence = z.object({
  text: z.string().min(1).max(400),
  declarations: z.array(Declaration).max(20).default([]),
});
export type DeclaredSentence = z.infer<typeof DeclaredSentence>;

/** The computed value of a figure. Numbers are exact fractions, as texts of digits. */
export const EvaluatedFigure = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("number"),
    numerator: z.string().max(2000),
    denominator: z.string().max(2000),
    /** Whether its column holds rates or shares, which are written with a percent sign as they are. */
    isRate: z.boolean(),
    rows: z.array(z.int()).max(100),
  }),
  z.object({ kind: z.literal("text"), text: z.string().max(200), rows: z.array(z.int()).max(100) }),
  z.object({
    kind: z.literal("problem"),
    reason: z.string().max(500),
    /** Whether there were no values to compute from. */
    isEmpty: z.boolean(),
  }),
]);
export type EvaluatedFigure = z.infer<typeof EvaluatedFigure>;

/** Equal figures have equal keys. */
export const keyOfFigure = ({ result, rows, where, column, operation }: Figure): string =>
  JSON.stringify([result, rows ?? null, where ?? null, column ?? null, operation]);

export const figuresOf = (sentences: readonly DeclaredSentence[]): Figure[] => {
  const figures = sentences.flatMap(({ declarations }) =>
    declarations.flatMap(({ of, against }) => (against ? [of, against] : [of])),
  );
  return [...new Map(figures.map((figure) => [keyOfFigure(figure), figure])).values()];
};
