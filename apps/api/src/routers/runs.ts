import { findResultOfRun } from "@querybell/core/results";
import { cancelRun, getRun, listRuns, watchRun } from "@querybell/core/runs";
import { AppError, ListedRun, ListRuns, pageOf, ResultInfo, RunDetail, RunId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { memberProcedure } from "../trpc/procedures.ts";

export const runRouter = {
  list: memberProcedure("queries:read")
    .input(ListRuns.prefault({}))
    .output(pageOf(ListedRun))
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
    .subscription(async function* ({ ctx, input, signal = ctx.closing }) {
      yield* watchRun(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) });
      // A client takes this for what it is, and asks again.
      if (ctx.closing.aborted) throw new AppError("unavailable", "The server is stopping. Watch again.");
    }),
} satisfies TRPCRouterRecord;
