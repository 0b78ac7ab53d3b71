import {
  claimRun,
  completeClaimedRun,
  failClaimedRun,
  listClaimedSteps,
  renewClaim,
  reportStep,
} from "@querybell/core/automations";
import {
  AutomationRun,
  AutomationStep,
  Claim,
  ClaimRun,
  CompleteClaimedRun,
  FailClaimedRun,
  ListClaimedSteps,
  pageOf,
  RenewClaim,
  RenewedClaim,
  ReportStep,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { claimErrors } from "../trpc/documented-errors.ts";
import { memberProcedure } from "../trpc/procedures.ts";

/** For processes elsewhere that do the work of automations whose agent is `external`. */
export const externalAgentRouter = {
  claim: memberProcedure("automations:run")
    .meta({
      summary: "Takes a run that waits for an external agent, or answers null",
      errors: {
        not_found: "there is no such automation",
        conflict: "the agent of this automation is not `external`",
      },
    })
    .input(ClaimRun.prefault({}))
    .output(checked(Claim.nullable()))
    .mutation(({ ctx, input }) => claimRun(ctx.deps, ctx.caller, input)),
  steps: memberProcedure("automations:run")
    .meta({
      summary: "The steps of earlier agents that `claim` had no room for",
      errors: { ...claimErrors },
    })
    .input(ListClaimedSteps)
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listClaimedSteps(ctx.deps, ctx.caller, input)),
  renew: memberProcedure("automations:run")
    .meta({ summary: "Says that the agent is still at work on the run", errors: { ...claimErrors } })
    .input(RenewClaim)
    .output(checked(RenewedClaim))
    .mutation(({ ctx, input }) => renewClaim(ctx.deps, ctx.caller, input)),
  report: memberProcedure("automations:run")
    .meta({
      summary: "Writes a step of the chat",
      errors: {
        ...claimErrors,
        not_found: "there is no such run of an automation, or of a query",
        conflict: "the step was written with another `kind`, or the chat has 500 steps",
      },
    })
    .input(ReportStep)
    .output(checked(AutomationStep))
    .mutation(({ ctx, input }) => reportStep(ctx.deps, ctx.caller, input)),
  complete: memberProcedure("automations:run")
    .meta({ summary: "Ends the run with a summary", errors: { ...claimErrors } })
    .input(CompleteClaimedRun)
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => completeClaimedRun(ctx.deps, ctx.caller, input)),
  fail: memberProcedure("automations:run")
    .meta({ summary: "Ends the run with a reason", errors: { ...claimErrors } })
    .input(FailClaimedRun)
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => failClaimedRun(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
