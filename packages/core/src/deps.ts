import type { Cursors } from "@querybell/cursors";
import type { Database } from "@querybell/db";
import type { Clock, DatabaseLimits, OrganizationCreation, RestCompatibility } from "@querybell/domain";
import type { EngineHosts } from "@querybell/engine-hosts";
import type { Guard } from "@querybell/guard";
import type { AskOptions, ModelGuard, ModelServer, UrlGuard } from "@querybell/models";
import type { Sealer } from "@querybell/sealing";
import type { RightsCache } from "./access/rights-cache.ts";
import type { Auth } from "./identity/create-auth.ts";
import type { KeyCache } from "./keys/verify-key.ts";
import type { RetentionPeriods } from "./retention/settings.ts";
import type { UploadLimits } from "./uploads/upload-limits.ts";

/** The operator's settings that use cases need. */
export interface Deployment {
  /** The base URL of permalinks and other links, without a trailing slash. */
  publicUrl: string;
  /** The base URL of public pages, without a trailing slash; null: this deployment serves none. */
  publicPagesUrl: string | null;
  /** The initial value for new organizations. */
  restCompatibility: RestCompatibility;
  organizationCreation: OrganizationCreation;
  /** The maximum limits of every database. */
  ceilings: DatabaseLimits;
  /** Whether an email server is configured. Without one, people copy links by hand. */
  sendsMail: boolean;
  retention: RetentionPeriods;
  /** How many bytes the past results of an organization may take, as they are stored. */
  pastResultsQuotaBytes: number;
  /** The folder of embedded databases and uploaded files. */
  dataFolder: string;
  uploads: UploadLimits;
  /** The addresses, in lower case, of those who see the state of the whole deployment. */
  admins: ReadonlySet<string>;
}

/** The dependencies of use cases. A use case takes deps, the caller and the input, in this order. */
export interface Deps {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  /** Decides which hosts may be connected to. */
  guard: Guard;
  cursors: Cursors;
  auth: Auth;
  /** The API keys that this process has verified recently. */
  keyCache: KeyCache;
  /** What callers may see and change, as far as this process has read it recently. */
  rights: RightsCache;
  /** Executes statements on analytical databases in separate processes. */
  engines: EngineHosts;
  models: ModelDeps;
  singleSignOn: SingleSignOnDeps;
  deployment: Deployment;
}

/** The operator's provider of identities, for all organizations. */
interface DeploymentProvider {
  /** What the button on the sign-in page says. */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  /** The domains whose addresses it speaks for. */
  domains: readonly string[];
  /** Whether nobody signs in another way. */
  enforced: boolean;
}

interface SingleSignOnDeps {
  /** Decide which servers of providers may be connected to. */
  guards: { organizations: UrlGuard; deployment: UrlGuard };
  deployment: DeploymentProvider | null;
  /** Reads the TXT records of a name. */
  resolveTxt(name: string): Promise<string[][]>;
}

/** The dependencies of use cases that call models. */
interface ModelDeps {
  /** Decides which servers may be connected to. */
  guard: ModelGuard;
  /** The model that the operator has set up for all organizations. */
  operator: ModelServer | null;
  limits: AskOptions["limits"];
}
