import { z } from "zod";
import { ConditionRule, ConditionState } from "./conditions.ts";
import { Id } from "./ids.ts";
import { ParameterValues } from "./parameters.ts";
import { Text } from "./text.ts";
import { Moment, Timestamp } from "./time.ts";

/** Lists show conditions, and every run stores its own. */
const maxConditionCharacters = 20_000;

/** When an automation speaks: a rule, and the chart whose results it judges. */
export const AutomationCondition = z
  .strictObject({
    shortId: Text.max(200).describe(
      "The chart that is judged: one of the automation's references; the first, if it has the chart with several values",
    ),
    rule: ConditionRule.meta({
      examples: [
        {
          condition: {
            kind: "figure",
            figure: { operation: "sum", column: "revenue" },
            is: { operator: "less", to: { kind: "value", value: "1000" } },
          },
        },
      ],
    }),
  })
  .refine(
    (condition) => JSON.stringify(condition).length <= maxConditionCharacters,
    `must have at most ${maxConditionCharacters} characters, as JSON`,
  );
export type AutomationCondition = z.infer<typeof AutomationCondition>;

/** Each saved change of a condition has a new id: a run that was triggered before judges nothing. */
export const StoredAutomationCondition = z.object({ id: Id, shortId: z.string(), rule: ConditionRule });
export type StoredAutomationCondition = z.infer<typeof StoredAutomationCondition>;

export const ConditionStatus = ConditionState.shape.status;
export type ConditionStatus = z.infer<typeof ConditionStatus>;

/** `again`: told before, and still so. */
export const ConditionTold = z.enum(["met", "again", "resolved"]);
export type ConditionTold = z.infer<typeof ConditionTold>;

const maxFactCharacters = 2_000;
const FactText = z.string().max(maxFactCharacters);

/** A value that a condition was judged by. Numbers are texts with all their digits. */
export const ToldFact = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("figure"),
    name: FactText.describe('For example "sum of revenue"'),
    value: FactText,
    compared: FactText.nullable().describe("What it was compared with"),
    difference: FactText.nullable(),
    percent: FactText.nullable(),
  }),
  z.strictObject({
    kind: z.literal("rows"),
    entered: z.int(),
    left: z.int(),
    changed: z.int(),
  }),
  z.strictObject({
    kind: z.literal("matches"),
    column: FactText,
    count: z.int().describe("How many rows meet the comparison"),
    of: z.int(),
  }),
  z.strictObject({ kind: z.literal("text"), text: FactText }),
]);
export type ToldFact = z.infer<typeof ToldFact>;

export const maxToldFacts = 100;

/** A fact as a sentence. */
export function describeFact(fact: ToldFact): string {
  switch (fact.kind) {
    case "figure": {
      const { name, value, compared, difference, percent } = fact;
      const more = [
        ...(compared === null ? [] : [`compared with ${compared}`]),
        ...(difference === null ? [] : [`a difference of ${difference}`]),
        ...(percent === null ? [] : [`${percent} %`]),
      ];
      return `The ${[`${name} is ${value}`, ...more].join(", ")}.`;
    }
    case "rows": {
      const { entered, left, changed } = fact;
      const counts = Object.entries({ entered, left, changed }).filter(([, count]) => count > 0);
      return `Rows: ${counts.map(([change, count]) => `${count} ${change}`).join(", ")}.`;
    }
    case "matches":
      return `${fact.count} of ${fact.of} rows: ${fact.column}.`;
    case "text":
      return fact.text;
  }
}

/** What is known of an automation's condition. */
export const AutomationConditionState = z.object({
  status: ConditionStatus.nullable().describe("Null before the first run that judges it"),
  since: Timestamp.nullable().describe("Since when it is met; null if it is not"),
  toldAt: Timestamp.nullable().describe("When it was last told that it is met"),
  reason: z.string().nullable().describe("Why the last run told nothing; null if it told something"),
  judgedAt: Timestamp.nullable(),
  acknowledged: z
    .object({ by: Id.nullable(), at: Timestamp })
    .nullable()
    .describe("Who has seen that it is met: it is not told again until it is resolved"),
  snoozed: z
    .object({ by: Id.nullable(), until: Timestamp })
    .nullable()
    .describe("Until then, people are told nothing; endpoints and subscriptions of programs are"),
});
export type AutomationConditionState = z.infer<typeof AutomationConditionState>;

export const SnoozeCondition = z.strictObject({
  id: Id.describe("Of the automation"),
  until: Moment.nullable().describe("Within the next 90 days. Null: speaks again"),
});
export type SnoozeCondition = z.infer<typeof SnoozeCondition>;

export const maxSnoozeDays = 90;

/** A run in which something was told or the state changed. */
export const ConditionChange = z.object({
  runId: Id,
  shortId: z.string().describe("The id of the run's chat in its permalink, `chatUrl`"),
  chatUrl: z.url(),
  at: Timestamp,
  status: ConditionStatus,
  previousStatus: ConditionStatus.nullable(),
  told: ConditionTold.nullable(),
  toldPeople: z.boolean().describe("Whether people were told too: not during a snooze"),
  facts: z.array(ToldFact),
  reason: z.string().nullable(),
});
export type ConditionChange = z.infer<typeof ConditionChange>;

export const maxConditionChanges = 100;

export const maxReplayedResults = 500;

/** A condition that is not saved, to be tried on the past results of its chart. */
export const ReplayCondition = z.strictObject({
  condition: AutomationCondition,
  parameterValues: ParameterValues.default({}).describe("Of the chart"),
});
export type ReplayCondition = z.infer<typeof ReplayCondition>;

export const ConditionReplay = z.object({
  points: z.array(
    z.object({
      at: Timestamp,
      status: ConditionStatus,
      told: ConditionTold.nullable().describe("What it would have told"),
      value: z.number().nullable().describe("The first figure that it is about, rounded, to draw it"),
    }),
  ),
  metPerMonth: z
    .number()
    .nullable()
    .describe(
      "How often it would have told in a month that it is met; null if the results span less than a day",
    ),
  isCut: z.boolean().describe("Whether older results were left out"),
});
export type ConditionReplay = z.infer<typeof ConditionReplay>;

export const ConditionChangeList = z.object({ items: z.array(ConditionChange) });
export type ConditionChangeList = z.infer<typeof ConditionChangeList>;
