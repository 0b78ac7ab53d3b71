import { ConditionTold, maxToldFacts, ToldFact } from "@querybell/domain/automation-conditions";
import { ChangedRowsCounts } from "@querybell/domain/changed-rows";
import { ConditionRule, ConditionState } from "@querybell/domain/conditions";
import { toStorable } from "@querybell/domain/text";
import { RowSplit, SplitRows } from "@querybell/summaries/operations";
import { z } from "zod";

/** What one of the results that follow as input is. */
const JudgedInput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("result"), shortId: z.string(), cut: z.boolean() }),
  /** The last result that no limit truncated. */
  z.object({ kind: z.literal("base"), cut: z.literal(false) }),
  z.object({ kind: z.literal("chart"), shortId: z.string(), cut: z.boolean() }),
]);

/** A run that a host judges by its rule. Hosts that judge nothing load this file too, so it imports only schemas. */
export const JudgeTask = z.object({
  rule: ConditionRule,
  /** Whether it is told again if it still holds, whatever the rule says. */
  isDue: z.boolean(),
  before: ConditionState.nullable(),
  now: z.iso.datetime(),
  inputs: z.array(JudgedInput),
  /** The figures of earlier runs, oldest first, by the position of their condition in the rule: time and figure. */
  past: z.record(z.string(), z.array(z.tuple([z.number(), z.number().nullable()]))),
  /** If it is told that the rule is met: the rows of a chart are split into those of each recipient. */
  recipients: RowSplit.extend({ shortId: z.string() }).optional(),
});
export type JudgeTask = z.infer<typeof JudgeTask>;

export const maxReasonCharacters = 2_000;

/** Cells contain what a database cannot store as text. */
const StoredText = z.string().max(maxReasonCharacters).transform(toStorable);

const StoredFact = ToldFact.transform((fact) =>
  ToldFact.parse(
    Object.fromEntries(
      Object.entries(fact).map(([name, value]) => [
        name,
        typeof value === "string" ? toStorable(value) : value,
      ]),
    ),
  ),
);

export const JudgedRun = z.object({
  state: ConditionState,
  told: z
    .object({
      kind: ConditionTold,
      since: z.iso.datetime({ precision: 3 }),
      facts: z.array(StoredFact).max(maxToldFacts),
    })
    .nullable(),
  reason: StoredText.nullable(),
  /** Whether the next run is compared with this result. */
  isNextBase: z.boolean(),
  /** Why rows of the result cannot be told apart by the chosen columns; null if they can. */
  keyProblem: StoredText.nullable(),
  /** The changed rows that are told; null if none are. Their parts came before, each as one chunk. */
  changedRows: ChangedRowsCounts.nullable(),
  /** The figures of this run that later ones are compared with. */
  figures: z.record(z.string().max(4), z.number().nullable()),
  /** The rows of each recipient; null if there are none to tell. */
  groups: SplitRows.nullable(),
});
export type JudgedRun = z.infer<typeof JudgedRun>;
