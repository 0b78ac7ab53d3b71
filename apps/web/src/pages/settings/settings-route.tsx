import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";

/** The parent of every page under Settings. */
export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-layout.tsx"), "SettingsLayout"),
});
