import { readHomeOverview, recordOpened } from "@querybell/core/home";
import { HomeOverview, RecordOpened } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const homeRouter = {
  overview: viewerProcedure()
    .meta({
      summary:
        "Gets the content of the start page: first steps, what the caller opened last, summaries, failures",
    })
    .output(checked(HomeOverview))
    .query(({ ctx }) => readHomeOverview(ctx.deps, ctx.caller)),
  recordOpened: viewerProcedure()
    .meta({ summary: "Records that the caller has opened something, which the start page lists as recent" })
    .input(parsed(RecordOpened))
    .mutation(({ ctx, input }) => recordOpened(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
