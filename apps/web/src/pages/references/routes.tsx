import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { appRoute } from "../../app/app-route.tsx";
import type { ValueTexts } from "../../components/parameter-values.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/references",
  component: lazyRouteComponent(() => import("./references-page.tsx"), "ReferencesPage"),
});

/** The values of parameters, each under its own name: `?since=2026-01-01`. */
const readValues = (raw: Record<string, unknown>): ValueTexts =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      ["string", "number", "boolean"].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );

const permalinkRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/q/$shortId",
  validateSearch: readValues,
  // Requested while the page's own script is loading.
  loader: ({ params: { shortId } }) => {
    void queryClient.prefetchQuery(trpc.references.get.queryOptions({ shortId }));
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

export const referenceRoutes = [listRoute, permalinkRoute, editRoute] as const;
