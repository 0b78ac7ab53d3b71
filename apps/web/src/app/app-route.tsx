import { createRoute, redirect } from "@tanstack/react-router";
import { queryClient } from "../api.ts";
import { meOptions } from "../components/me.ts";
import { ErrorFrame } from "./frames.tsx";
import { PublicFrame } from "./public-frame.tsx";
import { rootRoute } from "./root-route.tsx";
import { Shell } from "./shell.tsx";

/** The parent of every page that needs somebody signed in: it knows who, and puts the page into the shell. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meOptions);
    if (!me) throw redirect({ to: "/sign-in", search: { to: location.href } });
    return { me };
  },
  component: Shell,
  // Who is signed in could not be found out: there is no shell yet to show that in.
  errorComponent: (props) => (
    <PublicFrame>
      <ErrorFrame {...props} />
    </PublicFrame>
  ),
});
