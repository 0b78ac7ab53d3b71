import type { Inputs } from "@querybell/client";

export type Scope = Inputs["keys"]["create"]["scopes"][number];

/** What each scope allows, for people. */
export const scopeLabels: { value: Scope; label: string; description: string }[] = [
  { value: "queries:read", label: "Read queries", description: "Queries, their runs and their results" },
  { value: "queries:run", label: "Run queries", description: "Start and cancel runs" },
  { value: "references:read", label: "Read charts", description: "Charts, which the API calls references" },
  { value: "references:write", label: "Write charts", description: "Create, change and delete them" },
  { value: "automations:read", label: "Read automations", description: "Automations, runs and chats" },
  { value: "automations:run", label: "Run automations", description: "Trigger them, or act as their agent" },
  { value: "uploads:write", label: "Upload files", description: "Import them into tables, and drop those" },
  { value: "sql:run", label: "Run SQL", description: "SQL of its own, if the organization allows it" },
  {
    value: "events:subscribe",
    label: "Subscribe to events",
    description: "Ends of automation runs, over MCP",
  },
];
