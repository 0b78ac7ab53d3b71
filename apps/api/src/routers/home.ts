import { readHomeOverview } from "@querybell/core/home";
import { HomeOverview } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const homeRouter = {
  overview: memberProcedure()
    .meta({ summary: "What the start page shows: first steps, summaries, what needs attention" })
    .output(checked(HomeOverview))
    .query(({ ctx }) => readHomeOverview(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
