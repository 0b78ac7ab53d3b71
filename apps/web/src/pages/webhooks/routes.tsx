import { createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readTexts } from "../../format/search-text.ts";
import { settingsRoute } from "../settings/settings-route.tsx";

const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./webhooks-layout.tsx"), "WebhooksLayout"),
});

const endpointsRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./endpoints-page.tsx"), "EndpointsPage"),
});

const newEndpointRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/new",
  component: lazyRouteComponent(() => import("./new-endpoint-page.tsx"), "NewEndpointPage"),
});

const endpointRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/endpoints/$endpointId",
  component: lazyRouteComponent(() => import("./endpoint-page.tsx"), "EndpointPage"),
});

const editEndpointRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/endpoints/$endpointId/edit",
  component: lazyRouteComponent(() => import("./edit-endpoint-page.tsx"), "EditEndpointPage"),
});

const deliveryFilters = ["endpointId", "eventId", "type", "state", "from", "until"] as const;
export type DeliverySearch = { [Name in (typeof deliveryFilters)[number]]?: string };

const deliveriesRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/deliveries",
  validateSearch: (search): DeliverySearch => readTexts(search, deliveryFilters),
  component: lazyRouteComponent(() => import("./deliveries-page.tsx"), "DeliveriesPage"),
});

const deliveryRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/deliveries/$deliveryId",
  // The number of the attempt that is shown; by default the last one.
  validateSearch: ({ attempt }): { attempt?: number } =>
    Number.isInteger(Number(attempt)) ? { attempt: Number(attempt) } : {},
  component: lazyRouteComponent(() => import("./delivery-page.tsx"), "DeliveryPage"),
});

const eventTypesRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/events",
  component: lazyRouteComponent(() => import("./event-types-page.tsx"), "EventTypesPage"),
});

const subscriptionsRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "/subscriptions",
  component: lazyRouteComponent(() => import("./subscriptions-page.tsx"), "SubscriptionsPage"),
});

export const webhookRoutes = [
  webhooksRoute.addChildren([
    endpointsRoute,
    newEndpointRoute,
    endpointRoute,
    editEndpointRoute,
    deliveriesRoute,
    deliveryRoute,
    subscriptionsRoute,
    eventTypesRoute,
  ]),
] as const;
