import { compareResults } from "@querybell/core/past-results";
import { getResultOfRun } from "@querybell/core/results";
import { cancelRun, getRun, listRuns, watchRun } from "@querybell/core/runs";
import {
  CompareResults,
  Comparison,
  ListedRun,
  ListRuns,
  pageOf,
  ResultInfo,
  RunDetail,
  RunId,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const runRouter = {
  list: viewerProcedure("queries:read")
    .meta({ summary: "Lists the runs of one query, or of all, newest first" })
    .input(parsed(ListRuns.prefault({})))
    .output(checked(pageOf(ListedRun)))
    .query(({ ctx, input }) => listRuns(ctx.deps, ctx.caller, input)),
  get: viewerProcedure("queries:read")
    .meta({ summary: "Gets one run of a query", errors: { not_found: "there is no such run" } })
    .input(parsed(RunId))
    .output(checked(RunDetail))
    .query(({ ctx, input }) => getRun(ctx.deps, ctx.caller, input)),
  cancel: memberProcedure("queries:run")
    .meta({
      summary: "Cancels a run. A run that has ended is not changed",
      errors: { not_found: "there is no such run" },
    })
    .input(parsed(RunId))
    .output(checked(RunDetail))
    .mutation(({ ctx, input }) => cancelRun(ctx.deps, ctx.caller, input)),
  result: viewerProcedure("queries:read")
    .meta({
      summary: "Gets the metadata of a run's result; its rows are [downloaded](../queries.md#results)",
      errors: {
        not_found: "there is no such run",
        result_not_found: "the run has failed, or has not ended",
        result_expired: "the result is older than its lifetime",
      },
    })
    .input(parsed(RunId))
    .output(checked(ResultInfo))
    .query(({ ctx, input }) => getResultOfRun(ctx.deps, ctx.caller, input)),
  compare: viewerProcedure()
    .meta({
      summary: "Compares the results of two runs, which are stored or kept as history",
      errors: {
        not_found: "there is no such run",
        result_not_found: "a run has failed, or has not ended",
        result_expired: "a result is neither stored nor kept as history",
        invalid_request: "a limit cut a result, it is too large, or the key does not name each row",
      },
    })
    .input(parsed(CompareResults))
    .output(checked(Comparison))
    .query(({ ctx, input, signal }) => compareResults(ctx.deps, ctx.caller, input, signal)),
  watch: viewerProcedure("queries:read")
    .meta({
      summary: "Sends the run now and after every change, until it has ended",
      errors: { not_found: "there is no such run" },
      yields: RunDetail,
    })
    .input(parsed(RunId))
    .subscription(({ ctx, input, signal = ctx.closing }) =>
      watchRun(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) }),
    ),
} satisfies TRPCRouterRecord;
