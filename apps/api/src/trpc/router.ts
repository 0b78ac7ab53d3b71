import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { accessRouter } from "../routers/access.ts";
import { auditRouter } from "../routers/audit.ts";
import { automationRunRouter } from "../routers/automation-runs.ts";
import { automationRouter } from "../routers/automations.ts";
import { connectedProgramRouter } from "../routers/connected-programs.ts";
import { dashboardRouter } from "../routers/dashboards.ts";
import { databaseRouter } from "../routers/databases.ts";
import { destinationRouter } from "../routers/destinations.ts";
import { draftRouter } from "../routers/drafts.ts";
import { embeddingRouter } from "../routers/embedding.ts";
import { eventSubscriptionRouter } from "../routers/event-subscriptions.ts";
import { exportRouter } from "../routers/exports.ts";
import { externalAgentRouter } from "../routers/external-agents.ts";
import { folderRouter } from "../routers/folders.ts";
import { groupRouter } from "../routers/groups.ts";
import { homeRouter } from "../routers/home.ts";
import { invitationRouter } from "../routers/invitations.ts";
import { keyRouter } from "../routers/keys.ts";
import { libraryRouter } from "../routers/library.ts";
import { mcpCallRouter } from "../routers/mcp-calls.ts";
import { meRouter } from "../routers/me.ts";
import { memberRouter } from "../routers/members.ts";
import { modelRouter } from "../routers/models.ts";
import { notificationRouter } from "../routers/notifications.ts";
import { operationsRouter } from "../routers/operations.ts";
import { organizationDeletionRouter } from "../routers/organization-deletion.ts";
import { publicLinkRouter } from "../routers/public-links.ts";
import { queryRouter } from "../routers/queries.ts";
import { referenceRouter } from "../routers/references.ts";
import { runRouter } from "../routers/runs.ts";
import { sampleShopRouter } from "../routers/sample-shop.ts";
import { searchRouter } from "../routers/search.ts";
import { secondFactorRouter } from "../routers/second-factor.ts";
import { sessionRouter } from "../routers/sessions.ts";
import { settingsRouter } from "../routers/settings.ts";
import { singleSignOnRouter } from "../routers/single-sign-on.ts";
import { sqlHelpRouter } from "../routers/sql-help.ts";
import { uploadRouter } from "../routers/uploads.ts";
import { webhookDeliveryRouter } from "../routers/webhook-deliveries.ts";
import { webhookEndpointRouter } from "../routers/webhook-endpoints.ts";
import { webhookRecoveryRouter } from "../routers/webhook-recoveries.ts";
import { createCallerFactory, router } from "./procedures.ts";

export const appRouter = router({
  access: accessRouter,
  audit: auditRouter,
  automations: automationRouter,
  automationRuns: automationRunRouter,
  connectedPrograms: connectedProgramRouter,
  dashboards: dashboardRouter,
  databases: databaseRouter,
  destinations: destinationRouter,
  drafts: draftRouter,
  embedding: embeddingRouter,
  eventSubscriptions: eventSubscriptionRouter,
  externalAgents: externalAgentRouter,
  exports: exportRouter,
  folders: folderRouter,
  groups: groupRouter,
  home: homeRouter,
  invitations: invitationRouter,
  keys: keyRouter,
  library: libraryRouter,
  mcpCalls: mcpCallRouter,
  me: meRouter,
  members: memberRouter,
  models: modelRouter,
  organizationDeletion: organizationDeletionRouter,
  publicLinks: publicLinkRouter,
  queries: queryRouter,
  references: referenceRouter,
  runs: runRouter,
  notifications: notificationRouter,
  operations: operationsRouter,
  sampleShop: sampleShopRouter,
  search: searchRouter,
  secondFactor: secondFactorRouter,
  sessions: sessionRouter,
  settings: settingsRouter,
  singleSignOn: singleSignOnRouter,
  sqlHelp: sqlHelpRouter,
  uploads: uploadRouter,
  webhookDeliveries: webhookDeliveryRouter,
  webhookEndpoints: webhookEndpointRouter,
  webhookRecoveries: webhookRecoveryRouter,
});

export type AppRouter = typeof appRouter;

const Procedures = z.record(
  z.string(),
  z.custom<AnyTRPCProcedure>((value) => typeof value === "function" && "_def" in value),
);

/** Every procedure by its path, such as `queries.run`. */
export const proceduresByPath = new Map(Object.entries(Procedures.parse(appRouter._def.procedures)));

/** Calls procedures in this process, through the same middleware as calls over HTTP. */
export const createCaller = createCallerFactory(appRouter);
