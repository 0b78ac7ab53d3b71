import { getSettings, updateSettings } from "@querybell/core/organizations";
import { listRestCalls } from "@querybell/core/rest-calls";
import { readRetention } from "@querybell/core/retention";
import { OrganizationSettings, RestCall, Retention, UpdateSettings } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const settingsRouter = {
  get: viewerProcedure()
    .meta({ summary: "Gets the organization's settings" })
    .output(checked(OrganizationSettings))
    .query(({ ctx }) => getSettings(ctx.deps, ctx.caller)),
  retention: viewerProcedure()
    .meta({ summary: "Gets the retention periods of this deployment" })
    .output(checked(Retention))
    .query(({ ctx }) => readRetention(ctx.deps)),
  restCalls: adminProcedure
    .meta({ summary: "Lists the last call of each key to each of the [REST routes](../rest.md)" })
    .output(checked(RestCall.array()))
    .query(({ ctx }) => listRestCalls(ctx.deps, ctx.caller)),
  update: adminProcedure
    .meta({
      dangerous: true,
      summary: "Updates the given settings",
      errors: { conflict: "`restSunsetAt` is given and the REST routes are retired" },
    })
    .input(parsed(UpdateSettings))
    .output(checked(OrganizationSettings))
    .mutation(({ ctx, input }) => updateSettings(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
