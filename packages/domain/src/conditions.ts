import { z } from "zod";
import { isTimeZone } from "./schedules/time-zone.ts";
import { Text } from "./text.ts";

export const ColumnName = Text.min(1, "must name a column").max(200, "must have at most 200 characters");

/** A comparison of the cells of one column. An empty cell meets only `is_empty`. */
export const RowFilter = z.object({
  column: z.string().max(200),
  operator: z.enum(["equals", "not_equals", "less", "at_most", "more", "at_least", "contains", "is_empty"]),
  value: z
    .union(
      [z.string().max(500), z.number(), z.boolean()],
      "must be a text of at most 500 characters, a number, or true or false",
    )
    .optional(),
});
export type RowFilter = z.infer<typeof RowFilter>;

/** Which rows: those for which all of these hold. */
export const RowFilters = z
  .array(
    RowFilter.refine(
      ({ operator, value }) => operator === "is_empty" || value !== undefined,
      "must have a value to compare with",
    ),
  )
  .max(6, "must be at most 6")
  .default([]);

/** A number with all its digits. As a text, because a JSON number loses digits. */
const ExactNumber = z
  .string()
  .max(100, "must have at most 100 digits")
  .regex(/^-?\d+(?:\.\d+)?$/, "must be a number like 12 or -0.5");

/** A difference: an amount, or a percentage of what is compared with. */
const Difference = z.strictObject({
  amount: ExactNumber.refine((text) => !text.startsWith("-"), "must not be negative"),
  unit: z.enum(["absolute", "percent"]),
});
export type Difference = z.infer<typeof Difference>;

/** One figure of the rows of a result. */
export const Figure = z
  .strictObject({
    operation: z.enum(["value", "sum", "count", "distinct_count", "average", "minimum", "maximum"]),
    column: ColumnName.optional().describe("Not needed to count rows"),
    where: RowFilters,
  })
  .refine(({ operation, column }) => operation === "count" || column !== undefined, {
    message: "must name the column that the figure is of",
    path: ["column"],
  });
export type Figure = z.infer<typeof Figure>;

const Other = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("value"),
    value: Text.max(500, "must have at most 500 characters").describe(
      "A number, date or text, by the type of the column",
    ),
  }),
  z.strictObject({ kind: z.literal("column"), column: ColumnName }),
  z.strictObject({ kind: z.literal("chart"), shortId: Text.max(200), figure: Figure }),
  z.strictObject({
    kind: z.literal("period_before"),
    dates: ColumnName.describe("The column of dates that says to which period a row belongs"),
    period: z.enum(["day", "week", "month", "quarter", "year"]),
  }),
  z.strictObject({ kind: z.literal("last_run") }),
]);

const FigureTest = z.strictObject({
  operator: z.enum(["more", "at_least", "less", "at_most", "equals", "not_equals"]),
  to: Other,
  by: Difference.optional().describe(
    "`more` and `less`: by more than this; `equals`: within this; `not_equals`: apart by more than this",
  ),
  margin: ExactNumber.optional().describe(
    "Once met, it stays met until the value is this far on the other side of the limit",
  ),
});
export type FigureTest = z.infer<typeof FigureTest>;

export const RowChange = z.enum(["entered", "left", "changed"]);
export type RowChange = z.infer<typeof RowChange>;

/** How many false alarms are acceptable. */
export const FalseAlarms = z.enum(["one_a_year", "one_in_three_months", "one_a_month", "one_a_week"]);
export type FalseAlarms = z.infer<typeof FalseAlarms>;

const isDefined = (value: unknown): boolean => value !== undefined;

export const FigureCondition = z
  .strictObject({ kind: z.literal("figure"), figure: Figure, is: FigureTest })
  .refine(({ figure, is }) => is.to.kind !== "column" || isDefined(figure.column), {
    message: "must not be another column, because a count of rows has none",
    path: ["is", "to"],
  });

export const RowsCondition = z
  .strictObject({
    kind: z.literal("rows"),
    which: z.enum(["any", "every"]),
    column: ColumnName,
    where: RowFilters,
    is: FigureTest,
  })
  .refine(({ is }) => is.to.kind === "value" || is.to.kind === "column" || is.to.kind === "chart", {
    message: "must be a value, another column or another chart: a row has no period before",
    path: ["is", "to"],
  });

export const RowsChangedCondition = z.strictObject({
  kind: z.literal("rows_changed"),
  changes: z
    .array(RowChange)
    .min(1, "must name at least one kind of change")
    .refine((changes) => new Set(changes).size === changes.length, "must not repeat a kind of change"),
  key: z.array(ColumnName).min(1, "must name the columns that identify a row").max(8, "must be at most 8"),
  where: RowFilters.describe("Rows that count: as they are now, or as they were for those that left"),
  columns: z
    .array(ColumnName)
    .max(50, "must be at most 50")
    .optional()
    .describe("A row has changed if one of these has; any column unless given"),
});

export const OrdinaryCondition = z.strictObject({
  kind: z.literal("out_of_the_ordinary"),
  figure: Figure,
  falseAlarms: FalseAlarms.default("one_in_three_months"),
  direction: z.enum(["both", "above", "below"]).default("both"),
  timeZone: z.string().refine(isTimeZone, "must be the name of a time zone").default("UTC"),
  dates: ColumnName.optional().describe(
    "For a time series in the rows: the column of their times. Otherwise the figure of each run is compared",
  ),
});

export const StaleCondition = z.strictObject({
  kind: z.literal("stale"),
  dates: ColumnName,
  afterMinutes: z.int().min(1, "must be at least 1").max(525_600, "must be at most a year, 525600"),
});

export const FailedCondition = z.strictObject({ kind: z.literal("failed") });

export const CutCondition = z.strictObject({ kind: z.literal("cut") });

const leaves = [
  FigureCondition,
  RowsCondition,
  RowsChangedCondition,
  OrdinaryCondition,
  StaleCondition,
  FailedCondition,
  CutCondition,
] as const;

const LeafCondition = z.discriminatedUnion("kind", leaves);
export type LeafCondition = z.infer<typeof LeafCondition>;

const membersOf = <Member extends z.ZodType>(member: Member) =>
  z.array(member).min(1, "must have at least one condition").max(10, "must be at most 10");

/** Two levels of and/or suffice: every combination can be written as alternatives of things that hold together. */
const innerMembers = membersOf(LeafCondition);
const members = membersOf(
  z.discriminatedUnion("kind", [
    ...leaves,
    z.strictObject({ kind: z.literal("all"), conditions: innerMembers }),
    z.strictObject({ kind: z.literal("any"), conditions: innerMembers }),
  ]),
);

export const Condition = z.discriminatedUnion("kind", [
  ...leaves,
  z.strictObject({ kind: z.literal("all"), conditions: members }),
  z.strictObject({ kind: z.literal("any"), conditions: members }),
]);
export type Condition = z.infer<typeof Condition>;

/** The conditions without groups, in the order in which they are written. */
export const leavesOf = (condition: Condition): LeafCondition[] =>
  condition.kind === "all" || condition.kind === "any" ? condition.conditions.flatMap(leavesOf) : [condition];

/** Whether it is about events, each of which is told once, and not about something that lasts. */
export const isAboutChanges = (condition: Condition): boolean =>
  leavesOf(condition).some(({ kind }) => kind === "rows_changed");

/** Whether it is judged by an earlier result too. */
export const comparesWithLastRun = (condition: Condition): boolean =>
  leavesOf(condition).some(
    (leaf) => leaf.kind === "rows_changed" || (leaf.kind === "figure" && leaf.is.to.kind === "last_run"),
  );

/** Whether a group offers changed rows as an alternative to something that lasts. */
function mixesChanges(condition: Condition): boolean {
  if (condition.kind !== "all" && condition.kind !== "any") return false;
  const { kind, conditions } = condition;
  const changes = conditions.filter(isAboutChanges).length;
  return (kind === "any" && changes > 0 && changes < conditions.length) || conditions.some(mixesChanges);
}

const Rule = z.strictObject({
  condition: Condition,
  metForRuns: z
    .int()
    .min(1, "must be at least 1")
    .max(100, "must be at most 100")
    .default(1)
    .describe("Told once the condition holds in this many runs in a row"),
  resolvedForRuns: z
    .int()
    .min(1, "must be at least 1")
    .max(100, "must be at most 100")
    .default(1)
    .describe("Resolved once it does not hold in this many runs in a row"),
  repeatAfterMinutes: z
    .int()
    .min(1, "must be at least 1")
    .max(525_600, "must be at most a year, 525600")
    .nullable()
    .default(null)
    .describe("Told again after this time while it still holds. Null: told once"),
  tellsResolved: z.boolean().default(true),
});

const maxLeaves = 20;
/** Each is judged by a figure of every earlier run. */
const maxOrdinaryLeaves = 5;

/** When an automation speaks. */
export const ConditionRule = Rule.refine(({ condition }) => !mixesChanges(condition), {
  message: "must not join changed rows with other conditions by `any`. Make two automations",
  path: ["condition"],
})
  .refine(({ condition }) => leavesOf(condition).length <= maxLeaves, {
    message: `must have at most ${maxLeaves} parts`,
    path: ["condition"],
  })
  .refine(
    ({ condition }) =>
      leavesOf(condition).filter(({ kind }) => kind === "out_of_the_ordinary").length <= maxOrdinaryLeaves,
    {
      message: `must have at most ${maxOrdinaryLeaves} parts that are out of the ordinary`,
      path: ["condition"],
    },
  )
  .refine(({ condition, metForRuns }) => metForRuns === 1 || !isAboutChanges(condition), {
    message: "must be 1, because each changed row is told once",
    path: ["metForRuns"],
  });
export type ConditionRule = z.infer<typeof ConditionRule>;

/** What is remembered of a rule from one run to the next. */
export const ConditionState = z.object({
  status: z.enum(["normal", "met", "resolved", "no_data"]),
  runsMet: z.int(),
  runsNotMet: z.int(),
  /** Set from the run that told it until it is resolved, also while there is no data. */
  open: z.object({ since: z.iso.datetime(), toldAt: z.iso.datetime() }).nullable(),
});
export type ConditionState = z.infer<typeof ConditionState>;
