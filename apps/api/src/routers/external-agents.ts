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
import { memberProcedure } from "../trpc/procedures.ts";

/** For processes elsewhere that do the work of automations whose agent is `external`. */
export const externalAgentRouter = {
  claim: memberProcedure("automations:run")
    .input(ClaimRun.prefault({}))
    .output(checked(Claim.nullable()))
    .mutation(({ ctx, input }) => claimRun(ctx.deps, ctx.caller, input)),
  /** The steps of earlier agents that `claim` had no room for. */
  steps: memberProcedure("automations:run")
    .input(ListClaimedSteps)
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listClaimedSteps(ctx.deps, ctx.caller, input)),
  renew: memberProcedure("automations:run")
    .input(RenewClaim)
    .output(RenewedClaim)
    .mutation(({ ctx, input }) => renewClaim(ctx.deps, ctx.caller, input)),
  report: memberProcedure("automations:run")
    .input(ReportStep)
    .output(AutomationStep)
    .mutation(({ ctx, input }) => reportStep(ctx.deps, ctx.caller, input)),
  complete: memberProcedure("automations:run")
    .input(CompleteClaimedRun)
    .output(AutomationRun)
    .mutation(({ ctx, input }) => completeClaimedRun(ctx.deps, ctx.caller, input)),
  fail: memberProcedure("automations:run")
    .input(FailClaimedRun)
    .output(AutomationRun)
    .mutation(({ ctx, input }) => failClaimedRun(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
