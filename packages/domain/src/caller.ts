import { z } from "zod";

export const Role = z.enum(["owner", "admin", "member", "viewer"]);
export type Role = z.infer<typeof Role>;

const rank: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

export const isAtLeast = (role: Role, needed: Role): boolean => rank[role] >= rank[needed];

/** The permissions of an API key. No scope allows managing the organization. */
export const Scope = z.enum([
  "queries:read",
  "queries:run",
  "references:read",
  "references:write",
  "automations:read",
  "automations:run",
  "uploads:write",
  "sql:run",
  "events:subscribe",
]);
export type Scope = z.infer<typeof Scope>;

/** A signed-in person, independent of their active organization. */
export interface Person {
  userId: string;
  sessionId: string;
  /** Set for a session of an organization's provider: it opens only that organization, and not the account. */
  onlyOrganizationId?: string | undefined;
}

/** The person or key that calls a use case. Use cases read and write only data of `organizationId`. */
export interface Caller {
  userId: string;
  organizationId: string;
  role: Role;
  /** The admin who sees the organization as this person. Nothing may be changed then. */
  seenBy?: string;
  via:
    | { kind: "session"; sessionId: string }
    | {
        kind: "key";
        keyId: string;
        scopes: readonly Scope[];
        /** Whether it can be used for some databases or folders only. */
        isNarrowed?: boolean;
      };
}
