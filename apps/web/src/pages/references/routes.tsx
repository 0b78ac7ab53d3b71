import { createRoute, redirect } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readListSearch } from "../../library/list-search.ts";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch, type ValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { cachedResultOptions } from "../../results/cached-result.ts";
import { openEarly } from "../../results/open-result.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/charts",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./charts-page.tsx"), "ChartsPage"),
});

/** A chart of this query that is not saved yet, with values like on the page of the query: `?query=…&p.since=2026-01-01`. */
const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/charts/new",
  validateSearch: (raw: Record<string, unknown>): { query: string } & ValueSearch => ({
    query: String(raw.query ?? ""),
    ...toValueSearch(valuesInSearch(raw)),
  }),
  // Without a query there is nothing to draw: the list has the dialog that chooses one.
  beforeLoad: ({ search }) => {
    if (search.query === "") throw redirect({ to: "/charts", replace: true });
  },
  component: lazyRouteComponent(() => import("./new-chart-page.tsx"), "NewChartPage"),
});

/** The address of the list before charts were called charts. */
const oldListRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/references",
  beforeLoad: () => {
    throw redirect({ to: "/charts", replace: true });
  },
});

/** The values of parameters, each under its own name: `?since=2026-01-01`. */
const readValues = (raw: Record<string, unknown>): ValueTexts =>
  Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, String(value)]));

/** The run of the result that the api sent with the page of a permalink, if it did. */
function resultSentWithPage(shortId: string): string | undefined {
  const reference = queryClient.getQueryData(trpc.references.get.queryKey({ shortId }));
  const id = reference?.currentQuery?.id;
  if (id === undefined) return undefined;
  const input = { id, shortId, parameterValues: {} };
  return queryClient.getQueryData(cachedResultOptions(input).queryKey)?.runId;
}

const permalinkRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/q/$shortId",
  validateSearch: readValues,
  // Requested while the page's own script is loading.
  loader: ({ params: { shortId }, cause, location }) => {
    void queryClient.prefetchQuery(trpc.references.get.queryOptions({ shortId }));
    const isPlain = cause === "enter" && location.searchStr === "";
    const runId = isPlain ? resultSentWithPage(shortId) : undefined;
    if (runId !== undefined) openEarly(runId);
  },
  staticData: {
    scripts: ["src/pages/references/permalink-page.tsx"],
    laterScripts: ["src/charts/chart.tsx"],
  },
  component: lazyRouteComponent(() => import("./permalink-page.tsx"), "PermalinkPage"),
});

const editRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/q/$shortId/edit",
  component: lazyRouteComponent(() => import("./edit-page.tsx"), "EditPage"),
});

export const referenceRoutes = [listRoute, newRoute, oldListRoute, permalinkRoute, editRoute] as const;
