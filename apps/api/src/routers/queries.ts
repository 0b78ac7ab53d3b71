import { getLineage, listChartTables } from "@querybell/core/chart-tables";
import { listPastResults } from "@querybell/core/past-results";
import {
  createQuery,
  deleteQuery,
  getParameters,
  getQuery,
  getQueryVersion,
  listDefinitions,
  listQueries,
  listQueryVersions,
  setParameters,
  updateQuery,
} from "@querybell/core/queries";
import { listReferencesOfQuery } from "@querybell/core/references";
import { findResult, getResult } from "@querybell/core/results";
import { refreshQuery, runQuery } from "@querybell/core/runs";
import {
  ChartTable,
  CreateQuery,
  FoundResult,
  GetResult,
  ListDefinitions,
  ListedQuery,
  ListPastResults,
  ListQueries,
  ParameterDefinition,
  PastResultList,
  pageOf,
  Query,
  QueryDetail,
  QueryId,
  QueryLineage,
  QueryParameters,
  QueryVersion,
  QueryVersionDetail,
  QueryVersionNumber,
  ReferenceOfQuery,
  ResultInfo,
  Run,
  RunQuery,
  SetParameters,
  UpdateQuery,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { sqlErrors, valueErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const queryRouter = {
  list: viewerProcedure("queries:read")
    .meta({ summary: "Lists the queries, newest first" })
    .input(parsed(ListQueries.prefault({})))
    .output(checked(pageOf(ListedQuery)))
    .query(({ ctx, input }) => listQueries(ctx.deps, ctx.caller, input)),
  get: viewerProcedure("queries:read")
    .meta({
      summary: "Gets one query, with the outcome of its latest run",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(QueryId))
    .output(checked(QueryDetail))
    .query(({ ctx, input }) => getQuery(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Creates a query: a statement on a database",
      errors: {
        ...sqlErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(parsed(CreateQuery))
    .output(checked(Query))
    .mutation(({ ctx, input }) => createQuery(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary:
        "Updates the name, the statement or the database. A new statement or database is a new version",
      errors: {
        ...sqlErrors,
        not_found: "there is no such query or database",
        database_deleted: "the database was deleted",
        query_changed: "there is a newer version than `version`",
      },
    })
    .input(parsed(UpdateQuery))
    .output(checked(Query))
    .mutation(({ ctx, input }) => updateQuery(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({ summary: "Deletes a query and its references", errors: { not_found: "there is no such query" } })
    .input(parsed(QueryId))
    .mutation(({ ctx, input }) => deleteQuery(ctx.deps, ctx.caller, input)),
  run: viewerProcedure("queries:run")
    .meta({
      runsOnly: true,
      summary:
        "Runs a query with these values, or returns the unfinished run with the same values ([running](../queries.md))",
      errors: {
        ...valueErrors,
        not_found: "there is no such query, or no such reference of it",
        query_already_running: "the run with these values is being cancelled",
      },
    })
    .input(parsed(RunQuery))
    .output(checked(Run))
    .mutation(({ ctx, input }) => runQuery(ctx.deps, ctx.caller, input)),
  refresh: viewerProcedure("queries:run")
    .meta({
      runsOnly: true,
      summary: "Runs a query again with the values of its last run; the first time with the defaults",
      errors: {
        not_found: "there is no such query",
        query_already_running: "any run of the query is unfinished",
        missing_parameter_values: valueErrors.missing_parameter_values,
        misplaced_placeholder: valueErrors.misplaced_placeholder,
        statement_too_large: valueErrors.statement_too_large,
        database_deleted: valueErrors.database_deleted,
      },
    })
    .input(parsed(QueryId))
    .output(checked(Run))
    .mutation(({ ctx, input }) => refreshQuery(ctx.deps, ctx.caller, input)),
  result: viewerProcedure("queries:read")
    .meta({
      summary:
        "Gets the metadata of the newest cached result; its rows are [downloaded](../queries.md#results)",
      errors: {
        ...valueErrors,
        not_found: "there is no such query, or no such reference of it",
        result_not_found: "no run has completed, with these values if there are any",
        result_expired: "the result is older than its lifetime",
      },
    })
    .input(parsed(GetResult))
    .output(checked(ResultInfo))
    .query(({ ctx, input }) => getResult(ctx.deps, ctx.caller, input)),
  findResult: viewerProcedure("queries:read")
    .meta({
      summary: "Like `queries.result`, for pages: that there is no result is answered without an error",
      errors: {
        invalid_parameter_value: valueErrors.invalid_parameter_value,
        misplaced_placeholder: valueErrors.misplaced_placeholder,
        statement_too_large: valueErrors.statement_too_large,
        not_found: "there is no such query, or no such reference of it",
      },
    })
    .input(parsed(GetResult))
    .output(checked(FoundResult))
    .query(({ ctx, input }) => findResult(ctx.deps, ctx.caller, input)),
  pastResults: viewerProcedure()
    .meta({
      summary: "Lists the past results that are kept of a query and set of values, newest first",
      errors: {
        ...valueErrors,
        not_found: "there is no such query, or no such reference of it",
      },
    })
    .input(parsed(ListPastResults))
    .output(checked(PastResultList))
    .query(({ ctx, input }) => listPastResults(ctx.deps, ctx.caller, input)),
  versions: viewerProcedure("queries:read")
    .meta({
      summary: "Lists the versions of a query, newest first",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(QueryId))
    .output(checked(QueryVersion.array()))
    .query(({ ctx, input }) => listQueryVersions(ctx.deps, ctx.caller, input)),
  version: viewerProcedure("queries:read")
    .meta({
      summary: "Gets one version of a query",
      errors: { not_found: "there is no such query or version; the last 100 are kept" },
    })
    .input(parsed(QueryVersionNumber))
    .output(checked(QueryVersionDetail))
    .query(({ ctx, input }) => getQueryVersion(ctx.deps, ctx.caller, input)),
  definitions: viewerProcedure("queries:read")
    .meta({
      summary: "Lists the definitions that a run would use for these parameters",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(ListDefinitions))
    .output(checked(ParameterDefinition.array()))
    .query(({ ctx, input }) => listDefinitions(ctx.deps, ctx.caller, input)),
  parameters: viewerProcedure("queries:read")
    .meta({
      summary:
        "Gets the definitions of a query's parameters, with choices and ranges, and those of its references for other names",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(ListDefinitions))
    .output(checked(QueryParameters))
    .query(({ ctx, input }) => getParameters(ctx.deps, ctx.caller, input)),
  chartTables: viewerProcedure("queries:read")
    .meta({
      summary:
        "Lists the charts whose results queries on uploads can [read as tables](../queries.md#results-as-tables), by name, the first 500",
    })
    .output(checked(ChartTable.array()))
    .query(({ ctx }) => listChartTables(ctx.deps, ctx.caller)),
  lineage: viewerProcedure("queries:read")
    .meta({
      summary:
        "Lists the charts whose results a query [reads as tables](../queries.md#results-as-tables), and what reads its own charts",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(QueryId))
    .output(checked(QueryLineage))
    .query(({ ctx, input }) => getLineage(ctx.deps, ctx.caller, input)),
  setParameters: memberProcedure()
    .meta({
      summary: "Replaces the definitions of a query's parameters, their choices and ranges",
      errors: {
        not_found: "there is no such query, or choices come from a query that does not exist",
        invalid_parameter_value: "a default or a choice does not fit the type of its parameter",
        query_changed: "somebody has changed the parameters since `version`",
        conflict: "a type changes, and the default of a reference does not fit the new one",
      },
    })
    .input(parsed(SetParameters))
    .output(checked(QueryParameters))
    .mutation(({ ctx, input }) => setParameters(ctx.deps, ctx.caller, input)),
  references: viewerProcedure("references:read")
    .meta({
      summary: "Lists the references of a query",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(QueryId))
    .output(checked(ReferenceOfQuery.array()))
    .query(({ ctx, input }) => listReferencesOfQuery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
