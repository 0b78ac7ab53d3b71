import { createRootRoute, Outlet } from "@tanstack/react-router";
import { NotFound } from "../errors/not-found.tsx";
import { PublicFrame } from "../frame/public-frame.tsx";

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <PublicFrame>
      <NotFound />
    </PublicFrame>
  ),
});
