import { createRoute } from "@tanstack/react-router";
import { publicRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";

/** The address to open after signing in. Only paths of this app are allowed. */
const pathOf = (to: unknown): string | undefined =>
  typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined;

interface SignInSearch {
  to?: string | undefined;
  /** Why a sign-in through a provider was refused. */
  problem?: string | undefined;
}

export const signInRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/sign-in",
  // `to` is always set, also to undefined: the router would keep the raw value of an absent key.
  validateSearch: ({ to, problem }: Record<string, unknown>): SignInSearch => ({
    to: pathOf(to),
    problem: typeof problem === "string" ? problem : undefined,
  }),
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
});
