import { getSettings, readRetention, updateSettings } from "@querybell/core/organizations";
import { listRestCalls } from "@querybell/core/rest-calls";
import { OrganizationSettings, RestCall, Retention, UpdateSettings } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const settingsRouter = {
  get: memberProcedure()
    .meta({ summary: "The organization's settings" })
    .output(checked(OrganizationSettings))
    .query(({ ctx }) => getSettings(ctx.deps, ctx.caller)),
  retention: memberProcedure()
    .meta({ summary: "How long this deployment keeps what it writes down" })
    .output(checked(Retention))
    .query(({ ctx }) => readRetention(ctx.deps)),
  restCalls: adminProcedure
    .meta({ summary: "Who still calls the [REST routes](../rest.md): the last call of each key and route" })
    .output(checked(RestCall.array()))
    .query(({ ctx }) => listRestCalls(ctx.deps, ctx.caller)),
  update: adminProcedure
    .meta({
      summary: "Changes some settings",
      errors: { conflict: "`restSunsetAt` is given and the REST routes are retired" },
    })
    .input(UpdateSettings)
    .output(checked(OrganizationSettings))
    .mutation(({ ctx, input }) => updateSettings(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
