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
import { sqlErrors, valueErrors } from "../trpc/documented-errors.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const queryRouter = {
  list: memberProcedure("queries:read")
    .meta({ summary: "The queries, newest first" })
    .input(ListQueries.prefault({}))
    .output(checked(pageOf(Query)))
    .query(({ ctx, input }) => listQueries(ctx.deps, ctx.caller, input)),
  get: memberProcedure("queries:read")
    .meta({
      summary: "One query, with how its latest run went",
      errors: { not_found: "there is no such query" },
    })
    .input(QueryId)
    .output(checked(QueryDetail))
    .query(({ ctx, input }) => getQuery(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Saves a statement on a database",
      errors: {
        ...sqlErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(CreateQuery)
    .output(checked(Query))
    .mutation(({ ctx, input }) => createQuery(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary: "Changes the name, the statement or the database. A new statement is a new version",
      errors: {
        ...sqlErrors,
        not_found: "there is no such query or database",
        database_deleted: "the database was deleted",
        query_changed: "there is a newer version than `version`",
      },
    })
    .input(UpdateQuery)
    .output(checked(Query))
    .mutation(({ ctx, input }) => updateQuery(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({ summary: "Deletes a query with its references", errors: { not_found: "there is no such query" } })
    .input(QueryId)
    .mutation(({ ctx, input }) => deleteQuery(ctx.deps, ctx.caller, input)),
  run: memberProcedure("queries:run")
    .meta({
      summary:
        "Runs a query with these values, or joins the unfinished run that has them ([running](../queries.md))",
      errors: {
        ...valueErrors,
        not_found: "there is no such query, or no such reference of it",
        query_already_running: "the run with these values is being cancelled",
      },
    })
    .input(RunQuery)
    .output(checked(Run))
    .mutation(({ ctx, input }) => runQuery(ctx.deps, ctx.caller, input)),
  refresh: memberProcedure("queries:run")
    .meta({
      summary: "Runs a query again with the values of its last run; before the first, with defaults",
      errors: {
        not_found: "there is no such query",
        query_already_running: "any run of the query is unfinished",
        missing_parameter_values: valueErrors.missing_parameter_values,
        misplaced_placeholder: valueErrors.misplaced_placeholder,
        statement_too_large: valueErrors.statement_too_large,
        database_deleted: valueErrors.database_deleted,
      },
    })
    .input(QueryId)
    .output(checked(Run))
    .mutation(({ ctx, input }) => refreshQuery(ctx.deps, ctx.caller, input)),
  result: memberProcedure("queries:read")
    .meta({
      summary: "About the newest cached result; its rows are [downloaded](../queries.md#results)",
      errors: {
        ...valueErrors,
        not_found: "there is no such query, or no such reference of it",
        result_not_found: "no run has completed, with these values if there are any",
        result_expired: "the result is older than its lifetime",
      },
    })
    .input(FindResult)
    .output(checked(ResultInfo))
    .query(({ ctx, input }) => findResult(ctx.deps, ctx.caller, input)),
  versions: memberProcedure("queries:read")
    .meta({
      summary: "The versions of a query's statement, newest first",
      errors: { not_found: "there is no such query" },
    })
    .input(QueryId)
    .output(checked(QueryVersion.array()))
    .query(({ ctx, input }) => listQueryVersions(ctx.deps, ctx.caller, input)),
  version: memberProcedure("queries:read")
    .meta({
      summary: "One version of a query's statement",
      errors: { not_found: "there is no such query or version; the last 100 are kept" },
    })
    .input(QueryVersionNumber)
    .output(checked(QueryVersionDetail))
    .query(({ ctx, input }) => getQueryVersion(ctx.deps, ctx.caller, input)),
  definitions: memberProcedure("queries:read")
    .meta({
      summary: "The definitions by which a run reads values for these parameters",
      errors: { not_found: "there is no such query" },
    })
    .input(FindDefinitions)
    .output(checked(ParameterDefinition.array()))
    .query(({ ctx, input }) => findDefinitions(ctx.deps, ctx.caller, input)),
  references: memberProcedure("references:read")
    .meta({
      summary: "The references that point to a query",
      errors: { not_found: "there is no such query" },
    })
    .input(QueryId)
    .output(checked(ReferenceOfQuery.array()))
    .query(({ ctx, input }) => listReferencesOfQuery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
