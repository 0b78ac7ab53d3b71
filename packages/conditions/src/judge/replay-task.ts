import { ConditionStatus, ConditionTold, maxReplayedResults } from "@querybell/domain/automation-conditions";
import { ConditionRule } from "@querybell/domain/conditions";
import { z } from "zod";

/** A rule that a host tries on past results, which follow as input, oldest first. Imports only schemas, like the others. */
export const ReplayTask = z.object({
  rule: ConditionRule,
  /** When each of them was completed. */
  times: z.array(z.iso.datetime()),
});
export type ReplayTask = z.infer<typeof ReplayTask>;

/** What would have become of the rule, for each result. */
export const ReplayedResults = z.object({
  points: z
    .array(
      z.object({
        status: ConditionStatus,
        told: ConditionTold.nullable(),
        /** The first figure that the rule is about, to draw it; null if there is none. */
        value: z.number().nullable(),
      }),
    )
    .max(maxReplayedResults),
  /** How often it would have told in a month that it is met; null if the results span less than a day. */
  metPerMonth: z.number().nonnegative().nullable(),
});
export type ReplayedResults = z.infer<typeof ReplayedResults>;
