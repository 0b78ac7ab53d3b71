import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { settingsRoute } from "../settings/settings-route.tsx";

const destinationsLayoutRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/destinations",
  component: lazyRouteComponent(() => import("../webhooks/webhooks-layout.tsx"), "DestinationsLayout"),
});

const destinationsRoute = createRoute({
  getParentRoute: () => destinationsLayoutRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./destinations-page.tsx"), "DestinationsPage"),
});

const newDestinationRoute = createRoute({
  getParentRoute: () => destinationsLayoutRoute,
  path: "/new",
  component: lazyRouteComponent(() => import("./destination-form.tsx"), "NewDestinationPage"),
});

const destinationRoute = createRoute({
  getParentRoute: () => destinationsLayoutRoute,
  path: "/$destinationId",
  component: lazyRouteComponent(() => import("./destination-page.tsx"), "DestinationPage"),
});

const editDestinationRoute = createRoute({
  getParentRoute: () => destinationsLayoutRoute,
  path: "/$destinationId/edit",
  component: lazyRouteComponent(() => import("./destination-form.tsx"), "EditDestinationPage"),
});

export const destinationRoutes = [
  destinationsLayoutRoute.addChildren([
    destinationsRoute,
    newDestinationRoute,
    destinationRoute,
    editDestinationRoute,
  ]),
] as const;
