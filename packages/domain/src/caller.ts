import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** A signed-in person, independent of their active organization. */
export interface Person {
  userId: string;
  sessionId: string;
}

/** The person or key that calls a use case. Use cases read and write only data of `organizationId`. */
export interface Caller {
  userId: string;
  organizationId: string;
  role: Role;
  via: { kind: "session"; sessionId: string } | { kind: "key"; keyId: string; scopes: readonly Scope[] };
}
