import { createRoute } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readListSearch } from "../../library/list-search.ts";
import { toValueSearch, type ValueSearch, valuesInSearch } from "../../parameters/value-search.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./queries-page.tsx"), "QueriesPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/new",
  // The id of the draft, once something is typed.
  validateSearch: (raw: Record<string, unknown>): { draft?: string } & ValueSearch => ({
    ...(typeof raw.draft === "string" && { draft: raw.draft }),
    ...toValueSearch(valuesInSearch(raw)),
  }),
  component: lazyRouteComponent(() => import("./query-page.tsx"), "NewQueryPage"),
});

const draftsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/drafts",
  component: lazyRouteComponent(() => import("./drafts/drafts-page.tsx"), "DraftsPage"),
});

export const queryTabs = ["result", "runs", "versions", "references"] as const;
type QueryTab = (typeof queryTabs)[number];

const queryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/$queryId",
  // Requested while the page's own script is loading.
  loader: ({ params: { queryId } }) => {
    void queryClient.prefetchQuery(trpc.queries.get.queryOptions({ id: queryId }));
    void queryClient.prefetchQuery(trpc.drafts.find.queryOptions({ queryId }));
    void queryClient.prefetchQuery(trpc.databases.list.queryOptions());
    void queryClient.prefetchQuery(trpc.library.get.queryOptions({ kind: "query", id: queryId }));
  },
  validateSearch: (raw: Record<string, unknown>): { tab?: QueryTab } & ValueSearch => {
    const tab = queryTabs.find((one) => one === raw.tab);
    return { ...(tab && tab !== "result" && { tab }), ...toValueSearch(valuesInSearch(raw)) };
  },
  staticData: {
    scripts: ["src/pages/queries/query-page.tsx"],
    laterScripts: ["src/sql/sql-editor.tsx"],
  },
  component: lazyRouteComponent(() => import("./query-page.tsx"), "QueryPage"),
});

export const queryRoutes = [listRoute, newRoute, draftsRoute, queryRoute] as const;
