import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { publicRoute } from "../../app/public-route.tsx";

/** Where to go after signing in: an address of ours, and nothing that leads elsewhere. */
const pathOf = (to: unknown): string | undefined =>
  typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined;

export const signInRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { to?: string } => {
    const to = pathOf(search.to);
    return to === undefined ? {} : { to };
  },
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
});
