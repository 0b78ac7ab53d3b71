import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./home-page.tsx"), "HomePage"),
});

export const homeRoutes = [homeRoute] as const;
