import { createRoute } from "@tanstack/react-router";
import { PublicFrame } from "../frame/public-frame.tsx";
import { rootRoute } from "./root-route.tsx";

/** The parent route of pages that need no session: signing in, invitations, passwords. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "public",
  component: PublicFrame,
});
