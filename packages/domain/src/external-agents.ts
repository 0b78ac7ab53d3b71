import { z } from "zod";
import { AutomationBrief, AutomationRun } from "./automation-runs.ts";
import { AutomationStep, AutomationStepState, ownSteps } from "./automation-steps.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** Claims a waiting run of this automation, or of any. */
export const ClaimRun = z.strictObject({
  automationId: Id.optional(),
  leaseSeconds: z
    .int()
    .min(5, "must be at least 5")
    .max(3600, "must be at most 3600")
    .default(60)
    .describe("How long the claim is valid without a renewal"),
});
export type ClaimRun = z.infer<typeof ClaimRun>;

/** A claimed run. Only the newest claim number may write to the run. */
export const Claim = z.object({
  run: AutomationRun,
  brief: AutomationBrief.omit({ condition: true }),
  claimNumber: z.int(),
  leaseUntil: Timestamp,
  deadlineAt: Timestamp.describe("The time limit: the run fails if it has not ended by then"),
  steps: z.array(AutomationStep).describe("The steps of earlier claims, from the first on"),
  stepsCursor: z
    .string()
    .optional()
    .describe("Present if there are more steps, which `externalAgents.steps` lists"),
});
export type Claim = z.infer<typeof Claim>;

const claimed = {
  runId: Id,
  claimNumber: z
    .int()
    .min(1, "must be at least 1: it is the claimNumber that claim answered")
    .describe("The `claimNumber` that `externalAgents.claim` returned"),
};

/** The steps that did not fit in the answer of `claim`. */
export const ListClaimedSteps = ListPage.extend(claimed);
export type ListClaimedSteps = z.infer<typeof ListClaimedSteps>;

export const RenewClaim = z.strictObject({
  ...claimed,
  leaseSeconds: ClaimRun.shape.leaseSeconds,
});
export type RenewClaim = z.infer<typeof RenewClaim>;

export const RenewedClaim = z.object({ leaseUntil: Timestamp });
export type RenewedClaim = z.infer<typeof RenewedClaim>;

const reservedNames: readonly string[] = Object.values(ownSteps);

const step = {
  name: nameUpTo(100)
    .refine(
      (name) => !reservedNames.includes(name),
      "must be another name: Querybell itself writes the steps instruction and summary",
    )
    .describe("Unique in the run. Reporting the same name again updates the step while it is running"),
  state: AutomationStepState.default("completed"),
  text: Text.max(20_000, "must have at most 20000 characters").default(""),
};

const maxPreviewCharacters = 10_000;

const Preview = z
  .record(
    Text.max(100, "must have at most 100 characters"),
    z.union([Text.max(2000), z.number(), z.boolean(), z.null()], {
      error:
        "must be a text of at most 2000 characters, a number, a boolean or null: a small preview, not nested",
    }),
  )
  // A chat has up to 500 steps, and all of them are sent to everyone who opens it.
  .refine(
    (preview) => JSON.stringify(preview).length <= maxPreviewCharacters,
    `must be a small preview: at most ${maxPreviewCharacters} characters as JSON`,
  );

const ReportedStep = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("message"), ...step }),
  z.strictObject({
    kind: z.literal("tool_call"),
    ...step,
    tool: Text.min(1, "must not be empty").max(100, "must have at most 100 characters"),
    input: Preview.default({}),
    output: Preview.default({}),
    queryRunId: Id.optional().describe("The query run of the tool call, in this organization"),
  }),
]);

export const ReportStep = z.strictObject({ ...claimed, step: ReportedStep });
export type ReportStep = z.infer<typeof ReportStep>;

export const maxSummaryLength = 600;

export const CompleteClaimedRun = z.strictObject({
  ...claimed,
  summary: Text.trim()
    .min(1, "must not be empty")
    .max(maxSummaryLength, `must have at most ${maxSummaryLength} characters`),
});
export type CompleteClaimedRun = z.infer<typeof CompleteClaimedRun>;

export const FailClaimedRun = z.strictObject({
  ...claimed,
  reason: Text.trim().min(1, "must not be empty").max(1000, "must have at most 1000 characters"),
});
export type FailClaimedRun = z.infer<typeof FailClaimedRun>;
