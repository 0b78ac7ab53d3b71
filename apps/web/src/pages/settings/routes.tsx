import { createRoute, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../../app/lazy-route-component.tsx";
import { readTexts } from "../../format/search-text.ts";
import { destinationRoutes } from "../destinations/routes.tsx";
import { webhookRoutes } from "../webhooks/routes.tsx";
import { settingsRoute } from "./settings-route.tsx";

const indexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/organization" });
  },
});

const organizationRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/organization",
  component: lazyRouteComponent(() => import("./organization-page.tsx"), "OrganizationPage"),
});

const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/members",
  component: lazyRouteComponent(() => import("./members-page.tsx"), "MembersPage"),
});

const groupsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/groups",
  component: lazyRouteComponent(() => import("./groups-page.tsx"), "GroupsPage"),
});

const accessRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/access",
  component: lazyRouteComponent(() => import("./access-page.tsx"), "AccessPage"),
});

const signInRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInSettingsPage"),
});

const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys-page.tsx"), "KeysPage"),
});

const publicLinksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/public-links",
  component: lazyRouteComponent(() => import("./public-links-page.tsx"), "PublicLinksPage"),
});

const embeddingRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/embedding",
  component: lazyRouteComponent(() => import("./embedding-page.tsx"), "EmbeddingPage"),
});

const agentsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/agents",
  component: lazyRouteComponent(() => import("./agents-page.tsx"), "AgentsPage"),
});

const databasesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/databases",
  component: lazyRouteComponent(() => import("./databases-page.tsx"), "DatabasesPage"),
});

const newDatabaseRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/databases/new",
  component: lazyRouteComponent(() => import("./database-pages.tsx"), "NewDatabasePage"),
});

const editDatabaseRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/databases/$databaseId",
  component: lazyRouteComponent(() => import("./database-pages.tsx"), "EditDatabasePage"),
});

const modelRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/model",
  component: lazyRouteComponent(() => import("./model-page.tsx"), "ModelPage"),
});

const auditFilters = ["actor", "action", "targetId", "from", "until"] as const;
export type AuditSearch = { [Name in (typeof auditFilters)[number]]?: string };

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/audit",
  validateSearch: (search): AuditSearch => readTexts(search, auditFilters),
  component: lazyRouteComponent(() => import("./audit-page.tsx"), "AuditPage"),
});

const exportRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/export",
  component: lazyRouteComponent(() => import("./export-page.tsx"), "ExportPage"),
});

export const settingsRoutes = [
  settingsRoute.addChildren([
    indexRoute,
    organizationRoute,
    membersRoute,
    groupsRoute,
    accessRoute,
    signInRoute,
    keysRoute,
    publicLinksRoute,
    embeddingRoute,
    agentsRoute,
    databasesRoute,
    newDatabaseRoute,
    editDatabaseRoute,
    modelRoute,
    auditRoute,
    exportRoute,
    ...destinationRoutes,
    ...webhookRoutes,
  ]),
] as const;
