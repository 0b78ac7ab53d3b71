import { createRoute, redirect } from "@tanstack/react-router";
import { queryClient } from "../api.ts";
import { meOptions } from "../components/me.ts";
import { ErrorFrame } from "./frames.tsx";
import { PublicFrame } from "./public-frame.tsx";
import { rootRoute } from "./root-route.tsx";
import { Shell } from "./shell.tsx";
import { setShownOrganization } from "./shown-organization.ts";

/** The parent route of every page that requires a session: it loads the user and renders the page in the shell. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meOptions);
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
