import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readListSearch } from "../../library/list-search.ts";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./automations-page.tsx"), "AutomationsPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/new",
  component: lazyRouteComponent(() => import("./form/automation-form.tsx"), "NewAutomationPage"),
});

const automationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/$automationId",
  component: lazyRouteComponent(() => import("./automation-page.tsx"), "AutomationPage"),
});

const editRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/$automationId/edit",
  component: lazyRouteComponent(() => import("./form/automation-form.tsx"), "EditAutomationPage"),
});

export const automationRoutes = [listRoute, newRoute, automationRoute, editRoute] as const;
