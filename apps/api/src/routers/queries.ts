import {
  createQuery,
  deleteQuery,
  findDefinitions,
  getQuery,
  getQueryVersion,
  listQueries,
  listQueryVersions,
  updateQuery,
} from "@querybell/core/queries";
import { listReferencesOfQuery } from "@querybell/core/references";
import { findResult } from "@querybell/core/results";
import { refreshQuery, runQuery } from "@querybell/core/runs";
import {
  CreateQuery,
  FindDefinitions,
  FindResult,
  ListQueries,
  ParameterDefinition,
  pageOf,
  Query,
  QueryDetail,
  QueryId,
  QueryVersion,
  QueryVersionDetail,
  QueryVersionNumber,
  ReferenceOfQuery,
  ResultInfo,
  Run,
  RunQuery,
  UpdateQuery,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const queryRouter = {
  list: memberProcedure("queries:read")
    .input(ListQueries.prefault({}))
    .output(checked(pageOf(Query)))
    .query(({ ctx, input }) => listQueries(ctx.deps, ctx.caller, input)),
  get: memberProcedure("queries:read")
    .input(QueryId)
    .output(QueryDetail)
    .query(({ ctx, input }) => getQuery(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .input(CreateQuery)
    .output(Query)
    .mutation(({ ctx, input }) => createQuery(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .input(UpdateQuery)
    .output(Query)
    .mutation(({ ctx, input }) => updateQuery(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .input(QueryId)
    .mutation(({ ctx, input }) => deleteQuery(ctx.deps, ctx.caller, input)),
  run: memberProcedure("queries:run")
    .input(RunQuery)
    .output(Run)
    .mutation(({ ctx, input }) => runQuery(ctx.deps, ctx.caller, input)),
  refresh: memberProcedure("queries:run")
    .input(QueryId)
    .output(Run)
    .mutation(({ ctx, input }) => refreshQuery(ctx.deps, ctx.caller, input)),
  result: memberProcedure("queries:read")
    .input(FindResult)
    .output(ResultInfo)
    .query(({ ctx, input }) => findResult(ctx.deps, ctx.caller, input)),
  versions: memberProcedure("queries:read")
    .input(QueryId)
    .output(QueryVersion.array())
    .query(({ ctx, input }) => listQueryVersions(ctx.deps, ctx.caller, input)),
  version: memberProcedure("queries:read")
    .input(QueryVersionNumber)
    .output(QueryVersionDetail)
    .query(({ ctx, input }) => getQueryVersion(ctx.deps, ctx.caller, input)),
  definitions: memberProcedure("queries:read")
    .input(FindDefinitions)
    .output(ParameterDefinition.array())
    .query(({ ctx, input }) => findDefinitions(ctx.deps, ctx.caller, input)),
  references: memberProcedure("references:read")
    .input(QueryId)
    .output(ReferenceOfQuery.array())
    .query(({ ctx, input }) => listReferencesOfQuery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
