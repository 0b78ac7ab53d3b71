import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/base-routes.tsx";

interface QueryListSearch {
  search?: string;
  createdBy?: string;
  database?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const defined = <Search extends object>(search: Search): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ""),
  ) as Search;

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries",
  validateSearch: (raw: Record<string, unknown>): QueryListSearch =>
    defined({
      search: text(raw.search),
      createdBy: text(raw.createdBy),
      database: text(raw.database),
    }) as QueryListSearch,
  component: lazyRouteComponent(() => import("./queries-page.tsx"), "QueriesPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/queries/new",
  validateSearch: (raw: Record<string, unknown>): { database?: string; sql?: string } =>
    defined({ database: text(raw.database), sql: text(raw.sql) }) as { database?: string; sql?: string },
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
