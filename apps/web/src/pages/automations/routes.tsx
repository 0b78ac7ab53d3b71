import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { appRoute } from "../../app/app-route.tsx";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations",
  component: lazyRouteComponent(() => import("./automations-page.tsx"), "AutomationsPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/new",
  component: lazyRouteComponent(() => import("./new-automation-page.tsx"), "NewAutomationPage"),
});

const automationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/$automationId",
  component: lazyRouteComponent(() => import("./automation-page.tsx"), "AutomationPage"),
});

const editRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/$automationId/edit",
  component: lazyRouteComponent(() => import("./edit-automation-page.tsx"), "EditAutomationPage"),
});

export const automationRoutes = [listRoute, newRoute, automationRoute, editRoute] as const;
