import { createRouter } from "@tanstack/react-router";
import { ErrorFrame, LoadingFrame, NotFoundFrame } from "../frame/frames.tsx";
import { accountRoutes, publicAccountRoutes } from "../pages/account/routes.tsx";
import { automationRoutes } from "../pages/automations/routes.tsx";
import { chatRoutes } from "../pages/chats/routes.tsx";
import { dashboardRoutes } from "../pages/dashboards/routes.tsx";
import { homeRoutes } from "../pages/home/routes.tsx";
import { notificationRoutes } from "../pages/notifications/routes.tsx";
import { operationsRoutes } from "../pages/operations/routes.tsx";
import { queryRoutes } from "../pages/queries/routes.tsx";
import { referenceRoutes } from "../pages/references/routes.tsx";
import { settingsRoutes } from "../pages/settings/routes.tsx";
import { uploadRoutes } from "../pages/uploads/routes.tsx";
import { appRoute, publicRoute, rootRoute, unknownRoute } from "./base-routes.tsx";
import { parseSearch, stringifySearch } from "./search-string.ts";

// One line for each area.
const routeTree = rootRoute.addChildren([
  publicRoute.addChildren([...publicAccountRoutes]),
  appRoute.addChildren([
    ...homeRoutes,
    ...accountRoutes,
    ...automationRoutes,
    ...chatRoutes,
    ...dashboardRoutes,
    ...notificationRoutes,
    ...operationsRoutes,
    ...queryRoutes,
    ...referenceRoutes,
    ...settingsRoutes,
    ...uploadRoutes,
    unknownRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  // TanStack Query caches the data, not the router.
  defaultPreloadStaleTime: 0,
  // Another id in the address is another page: nothing that was typed or revealed for the one before stays.
  defaultRemountDeps: ({ params }) => params,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPendingComponent: LoadingFrame,
  defaultErrorComponent: ErrorFrame,
  defaultNotFoundComponent: NotFoundFrame,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Modules that the page needs for its first paint: the api links them in the page, so that they load at once. */
    scripts?: string[];
    /** Modules that run as soon as the page is there, before the app. They import nothing of it. */
    earlyScripts?: string[];
    /** Modules that the page imports after its first paint. Fetched early too, but not parsed until they are imported. */
    laterScripts?: string[];
    /** Without header and sidebar. */
    isBare?: boolean;
  }
}
