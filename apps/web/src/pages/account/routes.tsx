import { createRoute } from "@tanstack/react-router";
import { appRoute, publicRoute } from "../../app/base-routes.tsx";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { CreateOrganizationPage } from "./create-organization.tsx";
import { signInRoute } from "./sign-in-route.ts";

const forgotPasswordRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("./forgot-password-page.tsx"), "ForgotPasswordPage"),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/reset-password",
  component: lazyRouteComponent(() => import("./reset-password-page.tsx"), "ResetPasswordPage"),
});

const invitationRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./invitation-page.tsx"), "InvitationPage"),
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/account",
  component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
});

const notificationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/account/notifications",
  component: lazyRouteComponent(() => import("./notification-settings-page.tsx"), "NotificationSettingsPage"),
});

const connectRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/connect",
  component: lazyRouteComponent(() => import("./connect-page.tsx"), "ConnectPage"),
});

export const publicAccountRoutes = [
  signInRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  invitationRoute,
] as const;

const createOrganizationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/organizations/new",
  component: CreateOrganizationPage,
});

export const accountRoutes = [
  accountRoute,
  connectRoute,
  createOrganizationRoute,
  notificationsRoute,
] as const;
