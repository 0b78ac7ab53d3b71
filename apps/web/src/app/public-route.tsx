import { createRoute } from "@tanstack/react-router";
import { PublicFrame } from "./public-frame.tsx";
import { rootRoute } from "./root-route.tsx";

/** The parent of the pages that anybody can open: signing in, invitations, passwords. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "public",
  component: PublicFrame,
});
