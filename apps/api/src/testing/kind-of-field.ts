/** The kind of id that a field expects, by its name and the router it belongs to: mostly the name of a table. */
export function kindOfField(name: string, router: string): string | undefined {
  if (name === "shortId") return router === "automationRuns" ? "chat_short_id" : "reference_short_id";
  if (name === "id") return tableOfRouter[router] ?? "organizations";
  if (name === "runId") {
    return router === "externalAgents" || router === "automationRuns" ? "automation_runs" : "query_runs";
  }
  // The results that are compared.
  if (router === "runs" && (name === "from" || name === "to")) return "query_runs";
  // Parts of what a passkey answers.
  if (router === "secondFactor") return "passkeys";
  if (name === "token") return router === "invitations" ? "invitation_token" : "password_reset_token";
  return kindOfName[name];
}

const tableOfRouter: Record<string, string> = {
  automations: "automations",
  automationRuns: "automation_runs",
  connectedPrograms: "api_keys",
  dashboards: "dashboards",
  databases: "analytical_database_configs",
  destinations: "webhook_endpoints",
  drafts: "query_drafts",
  embedding: "embedding_keys",
  eventSubscriptions: "webhook_endpoints",
  folders: "folders",
  invitations: "invitations",
  keys: "api_keys",
  library: "queries",
  publicLinks: "public_links",
  queries: "queries",
  runs: "query_runs",
  secondFactor: "passkeys",
  sessions: "sessions",
  singleSignOn: "organization_domains",
  sqlHelp: "sql_help_requests",
  uploads: "uploads",
  webhookDeliveries: "webhook_deliveries",
  webhookEndpoints: "webhook_endpoints",
  webhookRecoveries: "webhook_recoveries",
};

const kindOfName: Record<string, string> = {
  actor: "users",
  analyticalDatabaseConfigId: "analytical_database_configs",
  automationId: "automations",
  automationIds: "automations",
  client_id: "oauth_client",
  createdBy: "users",
  cursor: "cursor",
  dashboardId: "dashboards",
  databaseId: "analytical_database_configs",
  deliveryId: "webhook_deliveries",
  destinationId: "webhook_endpoints",
  databaseIds: "analytical_database_configs",
  endpointId: "webhook_endpoints",
  eventId: "webhook_events",
  add: "users",
  folderId: "folders",
  folderIds: "folders",
  groupId: "groups",
  ids: "notifications",
  organizationId: "organizations",
  parentId: "folders",
  queryId: "queries",
  referenceId: "query_references",
  queryRunId: "query_runs",
  remove: "users",
  secret: "signing_secret",
  serviceAccountId: "users",
  table: "table_name",
  userId: "users",
};
