import {
  cancelRefresh,
  createDashboard,
  getDashboard,
  getDashboardVersion,
  getRefresh,
  listDashboardVersions,
  refreshDashboard,
  updateDashboard,
} from "@querybell/core/dashboards";
import {
  CreateDashboard,
  Dashboard,
  DashboardDetail,
  DashboardId,
  DashboardRefresh,
  DashboardRefreshId,
  DashboardVersion,
  DashboardVersionDetail,
  DashboardVersionNumber,
  DashboardWithValues,
  RefreshDashboard,
  UpdateDashboard,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

const noSuchDashboard = "there is no such dashboard";

/** Dashboards are listed, moved, archived and deleted by `library`. */
export const dashboardRouter = {
  get: viewerProcedure()
    .meta({
      summary:
        "Gets a [dashboard](../dashboards.md) with its charts and where their stored results are, for these values of its filters",
      errors: { not_found: noSuchDashboard },
    })
    .input(parsed(DashboardWithValues))
    .output(checked(DashboardDetail))
    .query(({ ctx, input }) => getDashboard(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Creates a dashboard",
      errors: {
        not_found: "there is no such folder, or a chart of the content does not exist",
        invalid_parameter_value: "a default or a choice of a filter does not fit its type",
      },
    })
    .input(parsed(CreateDashboard))
    .output(checked(Dashboard))
    .mutation(({ ctx, input }) => createDashboard(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary:
        "Changes the title, the description, the content, or when it [refreshes by itself](../dashboards.md#refreshing-by-itself). A changed content is a new version",
      errors: {
        not_found: "there is no such dashboard, or a chart of the content does not exist",
        dashboard_changed: "the content is based on another version than the current one",
        invalid_parameter_value: "a default or a choice of a filter does not fit its type",
      },
    })
    .input(parsed(UpdateDashboard))
    .output(checked(Dashboard))
    .mutation(({ ctx, input }) => updateDashboard(ctx.deps, ctx.caller, input)),
  refresh: viewerProcedure()
    .meta({
      runsOnly: true,
      summary:
        "Runs the queries of all charts that the caller sees, [as of one moment](../dashboards.md#one-moment), or returns the caller's unfinished refresh",
      errors: {
        not_found: noSuchDashboard,
        conflict: "no chart of the dashboard can run",
        invalid_parameter_value: "a value does not fit its filter, or there is no such filter",
      },
    })
    .input(parsed(RefreshDashboard))
    .output(checked(DashboardRefresh))
    .mutation(({ ctx, input }) => refreshDashboard(ctx.deps, ctx.caller, input)),
  getRefresh: viewerProcedure()
    .meta({ summary: "Gets the progress of a refresh", errors: { not_found: "there is no such refresh" } })
    .input(parsed(DashboardRefreshId))
    .output(checked(DashboardRefresh))
    .query(({ ctx, input }) => getRefresh(ctx.deps, ctx.caller, input)),
  cancelRefresh: viewerProcedure()
    .meta({
      runsOnly: true,
      summary: "Cancels a refresh. The results of the one before stay",
      errors: { not_found: "there is no such refresh, or a viewer has not started it" },
    })
    .input(parsed(DashboardRefreshId))
    .output(checked(DashboardRefresh))
    .mutation(({ ctx, input }) => cancelRefresh(ctx.deps, ctx.caller, input)),
  versions: viewerProcedure()
    .meta({
      summary: "Lists the versions of a dashboard that are kept, newest first",
      errors: { not_found: noSuchDashboard },
    })
    .input(parsed(DashboardId))
    .output(checked(DashboardVersion.array()))
    .query(({ ctx, input }) => listDashboardVersions(ctx.deps, ctx.caller, input)),
  version: viewerProcedure()
    .meta({
      summary: "Gets a version of a dashboard",
      errors: { not_found: "there is no such dashboard, or the version is not kept" },
    })
    .input(parsed(DashboardVersionNumber))
    .output(checked(DashboardVersionDetail))
    .query(({ ctx, input }) => getDashboardVersion(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
