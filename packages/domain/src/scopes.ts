import { z } from "zod";

/** What an API key may be allowed to do. Managing the organization is never among them. */
export const Scope = z.enum([
  "queries:read",
  "queries:run",
  "references:read",
  "references:write",
  "automations:read",
  "automations:run",
]);
export type Scope = z.infer<typeof Scope>;
