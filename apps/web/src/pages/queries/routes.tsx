import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";
import { readListSearch } from "../../library/list-search.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./queries-page.tsx"), "QueriesPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/new",
  component: lazyRouteComponent(() => import("./query-page.tsx"), "NewQueryPage"),
});

export const queryTabs = ["result", "runs", "versions", "references"] as const;
type QueryTab = (typeof queryTabs)[number];

const queryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/$queryId",
  // Requested while the page's own script is loading.
  loader: ({ params: { queryId } }) => {
    void queryClient.prefetchQuery(trpc.queries.get.queryOptions({ id: queryId }));
    void queryClient.prefetchQuery(trpc.databases.list.queryOptions());
    void queryClient.prefetchQuery(trpc.library.get.queryOptions({ kind: "query", id: queryId }));
  },
  validateSearch: (raw: Record<string, unknown>): { tab?: QueryTab } => {
    const tab = queryTabs.find((one) => one === raw.tab);
    return tab && tab !== "result" ? { tab } : {};
  },
  staticData: {
    scripts: ["src/pages/queries/query-page.tsx"],
    laterScripts: ["src/sql/sql-editor.tsx"],
  },
  component: lazyRouteComponent(() => import("./query-page.tsx"), "QueryPage"),
});

export const queryRoutes = [listRoute, newRoute, queryRoute] as const;
