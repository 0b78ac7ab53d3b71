import { createRoute } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readListSearch } from "../../library/list-search.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/dashboards",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./dashboards-page.tsx"), "DashboardsPage"),
});

interface DashboardSearch {
  /** The id of the tab; absent for the first. */
  tab?: string;
  edit?: true;
}

const dashboardRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/dashboards/$dashboardId",
  validateSearch: ({ tab, edit }: Record<string, unknown>): DashboardSearch => ({
    ...(typeof tab === "string" && { tab }),
    ...((edit === true || edit === "true") && { edit: true }),
  }),
  // Requested while the page's own script is loading.
  loader: ({ params: { dashboardId: id } }) => {
    void queryClient.prefetchQuery(trpc.dashboards.get.queryOptions({ id }));
  },
  staticData: {
    scripts: ["src/pages/dashboards/dashboard-page.tsx"],
    laterScripts: ["src/charts/chart.tsx"],
  },
  component: lazyRouteComponent(() => import("./dashboard-page.tsx"), "DashboardPage"),
});

export const dashboardRoutes = [listRoute, dashboardRoute] as const;
