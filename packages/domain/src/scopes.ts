import { z } from "zod";

/** The permissions of an API key. No scope allows managing the organization. */
export const Scope = z.enum([
  "queries:read",
  "queries:run",
  "references:read",
  "references:write",
  "automations:read",
  "automations:run",
  "uploads:write",
]);
export type Scope = z.infer<typeof Scope>;
