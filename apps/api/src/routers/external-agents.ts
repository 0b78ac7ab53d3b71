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
import { claimErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed } from "../trpc/procedures.ts";

/** For programs that execute the runs of automations whose agent is `external`. */
export const externalAgentRouter = {
  claim: memberProcedure("automations:run")
    .meta({
      summary: "Claims a run that waits for an external agent; null if there is none",
      errors: {
        not_found: "there is no such automation",
        conflict: "the agent of this automation is not `external`",
      },
    })
    .input(parsed(ClaimRun.prefault({})))
    .output(checked(Claim.nullable()))
    .mutation(({ ctx, input }) => claimRun(ctx.deps, ctx.caller, input)),
  steps: memberProcedure("automations:run")
    .meta({
      summary: "Lists the steps of earlier claims that did not fit into the answer of `claim`",
      errors: { ...claimErrors },
    })
    .input(parsed(ListClaimedSteps))
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listClaimedSteps(ctx.deps, ctx.caller, input)),
  renew: memberProcedure("automations:run")
    .meta({ summary: "Renews the claim", errors: { ...claimErrors } })
    .input(parsed(RenewClaim))
    .output(checked(RenewedClaim))
    .mutation(({ ctx, input }) => renewClaim(ctx.deps, ctx.caller, input)),
  report: memberProcedure("automations:run")
    .meta({
      summary: "Creates or updates a step of the chat",
      errors: {
        ...claimErrors,
        not_found: "there is no such run of an automation, or of a query",
        conflict: "the step was written with another `kind`, or the chat has 500 steps",
      },
    })
    .input(parsed(ReportStep))
    .output(checked(AutomationStep))
    .mutation(({ ctx, input }) => reportStep(ctx.deps, ctx.caller, input)),
  complete: memberProcedure("automations:run")
    .meta({ summary: "Completes the run with a summary", errors: { ...claimErrors } })
    .input(parsed(CompleteClaimedRun))
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => completeClaimedRun(ctx.deps, ctx.caller, input)),
  fail: memberProcedure("automations:run")
    .meta({ summary: "Fails the run with a reason", errors: { ...claimErrors } })
    .input(parsed(FailClaimedRun))
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => failClaimedRun(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
