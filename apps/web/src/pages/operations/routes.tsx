import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";

const operationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/operations",
  component: lazyRouteComponent(() => import("./operations-page.tsx"), "OperationsPage"),
});

export const operationsRoutes = [operationsRoute] as const;
