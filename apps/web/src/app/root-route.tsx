import { createRootRoute, Outlet } from "@tanstack/react-router";
import { NotFound } from "../components/not-found.tsx";
import { PublicFrame } from "./public-frame.tsx";

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <PublicFrame>
      <NotFound />
    </PublicFrame>
  ),
});
