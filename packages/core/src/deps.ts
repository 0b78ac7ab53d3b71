import type { Cursors } from "@querybell/cursors";
import type { Database } from "@querybell/db";
import type { Clock, DatabaseLimits, OrganizationCreation, RestCompatibility } from "@querybell/domain";
import type { EngineHosts } from "@querybell/engines";
import type { Guard } from "@querybell/guard";
import type { Sealer } from "@querybell/sealing";
import type { Auth } from "./identity/create-auth.ts";

/** What the operator has set for this deployment, as far as use cases need to know it. */
export interface Deployment {
  /** What permalinks and other links are made of, without a slash at the end. */
  publicUrl: string;
  /** What a new organization gets. */
  restCompatibility: RestCompatibility;
  organizationCreation: OrganizationCreation;
  /** What no database's limits exceed. */
  ceilings: DatabaseLimits;
  /** Whether an email server is configured. Without one, links are copied by hand. */
  sendsMail: boolean;
  /** How many days finished webhook deliveries are kept. */
  webhookRetentionDays: number;
}

/** What a use case works with. Every one takes it first, then the caller, then the input. */
export interface Deps {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  /** Says which of a customer's hosts may be connected to. */
  guard: Guard;
  cursors: Cursors;
  auth: Auth;
  /** Executes statements on analytical databases, in processes of their own. */
  engines: EngineHosts;
  deployment: Deployment;
}
