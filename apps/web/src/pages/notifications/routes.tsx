import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";

const notificationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./notifications-page.tsx"), "NotificationsPage"),
});

export const notificationRoutes = [notificationsRoute] as const;
