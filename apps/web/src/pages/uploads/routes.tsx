import { createRoute } from "@tanstack/react-router";
import { appRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readTexts } from "../../format/search-text.ts";

/** `file` is the id of a waiting file that is about to be imported. */
type UploadsSearch = { file?: string };

const uploadsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/uploads",
  validateSearch: (search): UploadsSearch => readTexts(search, ["file"]),
  component: lazyRouteComponent(() => import("./uploads-page.tsx"), "UploadsPage"),
});

export const uploadRoutes = [uploadsRoute] as const;
