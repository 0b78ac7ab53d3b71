import {
  createRootRoute,
  createRoute,
  notFound,
  Outlet,
  redirect,
  rootRouteId,
} from "@tanstack/react-router";
import { queryClient, setShownOrganization } from "../api.ts";
import { NotFound } from "../errors/not-found.tsx";
import { ErrorFrame } from "../frame/frames.tsx";
import { PublicFrame } from "../frame/public-frame.tsx";
import { Shell } from "../frame/shell.tsx";
import { meOptions } from "../session/me.ts";

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <PublicFrame>
      <NotFound />
    </PublicFrame>
  ),
});

/** The parent route of pages that need no session: signing in, invitations, passwords. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "public",
  component: PublicFrame,
});

const unknownRouteId = "/app/$";

/** The parent route of every page that requires a session: it loads the user and renders the page in the shell. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  beforeLoad: async ({ location, matches }) => {
    const me = await queryClient.ensureQueryData(meOptions);
    // Signing in does not help: the address has no page.
    if (!me && matches.at(-1)?.routeId === unknownRouteId) throw notFound({ routeId: rootRouteId });
    if (!me) throw redirect({ to: "/sign-in", search: { to: location.href } });
    setShownOrganization(me.organizationId);
    return { me };
  },
  component: Shell,
  // The user could not be loaded, so there is no shell to show the error in.
  errorComponent: (props) => (
    <PublicFrame>
      <ErrorFrame {...props} />
    </PublicFrame>
  ),
});

/** Every address without a page. For a signed-in user, the shell stays around the message. */
export const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "$",
  component: NotFound,
});
