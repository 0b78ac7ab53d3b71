import { readHomeOverview } from "@querybell/core/home";
import { HomeOverview } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure } from "../trpc/procedures.ts";

export const homeRouter = {
  overview: memberProcedure()
    .meta({ summary: "Gets the content of the start page: first steps, summaries, failures" })
    .output(checked(HomeOverview))
    .query(({ ctx }) => readHomeOverview(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
