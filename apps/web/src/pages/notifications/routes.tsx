import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";

const notificationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./notifications-page.tsx"), "NotificationsPage"),
});

export const notificationRoutes = [notificationsRoute] as const;
