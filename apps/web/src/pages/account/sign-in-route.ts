import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { publicRoute } from "../../app/public-route.tsx";

/** Where to go after signing in: an address of ours, and nothing that leads elsewhere. */
const pathOf = (to: unknown): string | undefined =>
  typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined;

export const signInRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/sign-in",
  // Always named: a value that is left out here would pass through as it came.
  validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } => ({ to: pathOf(to) }),
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
});
