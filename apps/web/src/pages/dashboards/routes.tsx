import { createRoute } from "@tanstack/react-router";
import { queryClient } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readListSearch } from "../../library/list-search.ts";
import { toValueSearch, type ValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { dashboardOptions } from "./dashboard-options.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/dashboards",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./dashboards-page.tsx"), "DashboardsPage"),
});

/** The values of filters are beside the tab: `?tab=…&p.region=north`. */
type DashboardSearch = {
  /** The id of the tab; absent for the first. */
  tab?: string;
  edit?: true;
} & ValueSearch;

const dashboardRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/dashboards/$dashboardId",
  validateSearch: ({ tab, edit, ...others }: Record<string, unknown>): DashboardSearch => ({
    ...(typeof tab === "string" && { tab }),
    ...((edit === true || edit === "true") && { edit: true }),
    ...toValueSearch(valuesInSearch(others)),
  }),
  loaderDeps: ({ search }) => ({ values: valuesInSearch(search) }),
  // Requested while the page's own script is loading.
  loader: ({ params: { dashboardId: id }, deps: { values } }) => {
    void queryClient.prefetchQuery(dashboardOptions(id, values));
  },
  staticData: {
    earlyScripts: ["src/pages/dashboards/early-results.ts"],
    scripts: ["src/pages/dashboards/dashboard-page.tsx"],
    laterScripts: ["src/charts/chart.tsx"],
  },
  component: lazyRouteComponent(async () => {
    const { DashboardPage, waitForEarlyResults } = await import("./dashboard-page.tsx");
    await waitForEarlyResults();
    return { DashboardPage };
  }, "DashboardPage"),
});

/** Seconds in the address, within what makes sense on a screen. */
const readSeconds = (raw: unknown, least: number): number | undefined => {
  const seconds = Number(raw);
  return Number.isFinite(seconds) && seconds >= least ? Math.min(seconds, 86_400) : undefined;
};

type KioskSearch = {
  /** After how many seconds the next tab is shown; absent: the first tab stays. */
  rotate?: number;
  /** After how many seconds it is refreshed; absent: it shows what others refresh. */
  refresh?: number;
} & ValueSearch;

const kioskRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/dashboards/$dashboardId/kiosk",
  validateSearch: ({ rotate, refresh, ...others }: Record<string, unknown>): KioskSearch => {
    const [rotateAfter, refreshAfter] = [readSeconds(rotate, 5), readSeconds(refresh, 10)];
    return {
      ...(rotateAfter !== undefined && { rotate: rotateAfter }),
      ...(refreshAfter !== undefined && { refresh: refreshAfter }),
      ...toValueSearch(valuesInSearch(others)),
    };
  },
  staticData: { isBare: true },
  component: lazyRouteComponent(() => import("./kiosk-page.tsx"), "KioskPage"),
});

export const dashboardRoutes = [listRoute, dashboardRoute, kioskRoute] as const;
