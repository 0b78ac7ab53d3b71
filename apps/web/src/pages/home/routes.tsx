import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./home-page.tsx"), "HomePage"),
});

export const homeRoutes = [homeRoute] as const;
