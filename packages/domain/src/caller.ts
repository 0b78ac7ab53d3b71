import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** Somebody who is signed in, whichever organization they look at. */
export interface Person {
  userId: string;
  sessionId: string;
}

/** On whose behalf a use case runs. Everything it reads or writes belongs to `organizationId`. */
export interface Caller {
  userId: string;
  organizationId: string;
  role: Role;
  via: { kind: "session"; sessionId: string } | { kind: "key"; keyId: string; scopes: readonly Scope[] };
}
