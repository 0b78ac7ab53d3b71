/** Where an id belongs: to the organization that calls, or to the other one. */
export type Whose = "ours" | "theirs";

/**
 * A generated call names ids by symbols, because the organizations get new ids in each run: the same seed gives the same
 * call. The symbols are replaced when the call is sent. `at` counts through the ids of one kind.
 */
export const symbolOf = (whose: Whose, kind: string, at: number): string => `<${whose} ${kind} ${at}>`;

const symbol = /<(ours|theirs) (\w+) (\d+)>/g;

export type IdsByKind = Map<string, string[]>;

const unknownId = "00000000-0000-7000-8000-000000000000";

/** The text with every symbol replaced. An organization without an id of a kind gives one that does not exist. */
export const replaceSymbols = (text: string, ids: Record<Whose, IdsByKind>): string =>
  text.replace(symbol, (_, whose: Whose, kind: string, at: string) => {
    const found = ids[whose].get(kind) ?? [];
    return found[Number(at) % Math.max(1, found.length)] ?? unknownId;
  });

/** The same for every text in a value of JSON. */
export function replaceSymbolsIn(value: unknown, ids: Record<Whose, IdsByKind>): unknown {
  if (typeof value === "string") return replaceSymbols(value, ids);
  if (Array.isArray(value)) return value.map((entry) => replaceSymbolsIn(entry, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceSymbolsIn(inner, ids)]));
}

/** The kind of id that a field expects, by its name and the router it belongs to. */
export function kindOfField(name: string, router: string): string | undefined {
  if (name === "shortId") return router === "automationRuns" ? "chat_short_id" : "reference_short_id";
  if (name === "id") return tableOfRouter[router] ?? "organizations";
  if (name === "runId") {
    return router === "externalAgents" || router === "automationRuns" ? "automation_runs" : "query_runs";
  }
  return kindOfName[name];
}

const tableOfRouter: Record<string, string> = {
  automations: "automations",
  automationRuns: "automation_runs",
  databases: "analytical_database_configs",
  invitations: "invitations",
  keys: "api_keys",
  queries: "queries",
  runs: "query_runs",
  uploads: "uploads",
  webhookDeliveries: "webhook_deliveries",
  webhookEndpoints: "webhook_endpoints",
  webhookRecoveries: "webhook_recoveries",
};

const kindOfName: Record<string, string> = {
  actor: "users",
  analyticalDatabaseConfigId: "analytical_database_configs",
  automationId: "automations",
  createdBy: "users",
  cursor: "cursor",
  deliveryId: "webhook_deliveries",
  endpointId: "webhook_endpoints",
  eventId: "webhook_events",
  ids: "notifications",
  organizationId: "organizations",
  queryId: "queries",
  queryRunId: "query_runs",
  table: "table_name",
  token: "cursor",
  userId: "users",
};
