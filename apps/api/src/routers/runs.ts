import { findResultOfRun } from "@querybell/core/results";
import { cancelRun, getRun, listRuns, watchRun } from "@querybell/core/runs";
import { AppError, ListedRun, ListRuns, pageOf, ResultInfo, RunDetail, RunId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const runRouter = {
  list: memberProcedure("queries:read")
    .meta({ summary: "The runs of one query, or of all, newest first" })
    .input(ListRuns.prefault({}))
    .output(checked(pageOf(ListedRun)))
    .query(({ ctx, input }) => listRuns(ctx.deps, ctx.caller, input)),
  get: memberProcedure("queries:read")
    .meta({ summary: "One run of a query", errors: { not_found: "there is no such run" } })
    .input(RunId)
    .output(checked(RunDetail))
    .query(({ ctx, input }) => getRun(ctx.deps, ctx.caller, input)),
  cancel: memberProcedure("queries:run")
    .meta({
      summary: "Asks the database to stop a run; one that has ended stays as it is",
      errors: { not_found: "there is no such run" },
    })
    .input(RunId)
    .output(checked(RunDetail))
    .mutation(({ ctx, input }) => cancelRun(ctx.deps, ctx.caller, input)),
  result: memberProcedure("queries:read")
    .meta({
      summary: "About the result of a run; its rows are [downloaded](../queries.md#results)",
      errors: {
        not_found: "there is no such run",
        result_not_found: "the run has failed, or has not ended",
        result_expired: "the result is older than its lifetime",
      },
    })
    .input(RunId)
    .output(checked(ResultInfo))
    .query(({ ctx, input }) => findResultOfRun(ctx.deps, ctx.caller, input)),
  watch: memberProcedure("queries:read")
    .meta({
      summary: "The run now and after every change, until it has ended",
      errors: { not_found: "there is no such run" },
      yields: RunDetail,
    })
    .input(RunId)
    .subscription(async function* ({ ctx, input, signal = ctx.closing }) {
      yield* watchRun(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) });
      // A client takes this for what it is, and asks again.
      if (ctx.closing.aborted) throw new AppError("unavailable", "The server is stopping. Watch again.");
    }),
} satisfies TRPCRouterRecord;
