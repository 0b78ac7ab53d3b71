import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/chats/$shortId",
  component: lazyRouteComponent(() => import("./chat-page.tsx"), "ChatPage"),
});

export const chatRoutes = [chatRoute] as const;
