import { getSettings, readRetention, updateSettings } from "@querybell/core/organizations";
import { listRestCalls } from "@querybell/core/rest-calls";
import { OrganizationSettings, RestCall, Retention, UpdateSettings } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const settingsRouter = {
  get: memberProcedure()
    .output(OrganizationSettings)
    .query(({ ctx }) => getSettings(ctx.deps, ctx.caller)),
  retention: memberProcedure()
    .output(Retention)
    .query(({ ctx }) => readRetention(ctx.deps)),
  /** Who still calls the published REST routes. */
  restCalls: adminProcedure.output(RestCall.array()).query(({ ctx }) => listRestCalls(ctx.deps, ctx.caller)),
  update: adminProcedure
    .input(UpdateSettings)
    .output(OrganizationSettings)
    .mutation(({ ctx, input }) => updateSettings(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
