import { cancelRun, findResultOfRun, getRun, listRuns, watchRun } from "@querybell/core";
import { ListRuns, pageOf, ResultInfo, RunDetail, RunId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { memberProcedure } from "../trpc/procedures.ts";

export const runRouter = {
  list: memberProcedure("queries:read")
    .input(ListRuns.prefault({}))
    .output(pageOf(RunDetail))
    .query(({ ctx, input }) => listRuns(ctx.deps, ctx.caller, input)),
  get: memberProcedure("queries:read")
    .input(RunId)
    .output(RunDetail)
    .query(({ ctx, input }) => getRun(ctx.deps, ctx.caller, input)),
  cancel: memberProcedure("queries:run")
    .input(RunId)
    .output(RunDetail)
    .mutation(({ ctx, input }) => cancelRun(ctx.deps, ctx.caller, input)),
  result: memberProcedure("queries:read")
    .input(RunId)
    .output(ResultInfo)
    .query(({ ctx, input }) => findResultOfRun(ctx.deps, ctx.caller, input)),
  /** The run now and after every change, until it has ended. */
  watch: memberProcedure("queries:read")
    .input(RunId)
    .subscription(({ ctx, input, signal = new AbortController().signal }) =>
      watchRun(ctx.deps, ctx.caller, { ...input, signal }),
    ),
} satisfies TRPCRouterRecord;
