import { Resolver } from "node:dns/promises";
import { createCursors } from "@querybell/cursors";
import { openDatabase } from "@querybell/db";
import {
  type Clock,
  type OrganizationCreation,
  type RestCompatibility,
  SettingsError,
} from "@querybell/domain";
import { createEngineHosts, type EngineHostsOptions } from "@querybell/engine-hosts";
import { createGuard, parseNetworks } from "@querybell/guard";
import { createModelGuard } from "@querybell/models";
import { createSealer, deriveSecret, parseKeyring } from "@querybell/sealing";
import { createRightsCache } from "./access/rights-cache.ts";
import { type CeilingSettings, resolveDatabaseHost, toCeilings } from "./databases/index.ts";
import type { Deps } from "./deps.ts";
import { createAuth } from "./identity/index.ts";
import { createKeyCache } from "./keys/index.ts";
import { type RetentionSettings, toPastResultsQuota, toRetentionPeriods } from "./retention/index.ts";
import { createIssuerGuard } from "./single-sign-on/oidc-client.ts";
import { toUploadLimits, type UploadSettings } from "./uploads/index.ts";

/** The settings of a process that use cases depend on. docs/operating.md describes them. */
interface DepsSettings extends CeilingSettings, RetentionSettings, UploadSettings {
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  SEALING_KEYS: string;
  PUBLIC_URL: string;
  PUBLIC_PAGES_URL?: string | undefined;
  REST_COMPATIBILITY: RestCompatibility;
  ORGANIZATION_CREATION?: OrganizationCreation;
  DEPLOYMENT_ADMINS?: string;
  DUCKDB_FOLDER: string;
  ANALYTICS_NETWORKS: string;
  MODEL_URL?: string | undefined;
  MODEL_NAME?: string | undefined;
  MODEL_API_KEY?: string | undefined;
  MODEL_NETWORKS?: string;
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
  OIDC_DOMAINS?: string;
  OIDC_NAME?: string;
  OIDC_ENFORCED?: boolean;
  OIDC_NETWORKS?: string;
  SMTP_URL?: string | undefined;
  WEBHOOK_ALLOW_LOOPBACK?: boolean;
}

export interface DepsOptions {
  settings: DepsSettings;
  clock: Clock;
  /** How long a use case waits for a connection to the database. */
  connectTimeoutMs?: number;
  /** The number of statements that this process executes concurrently on analytical databases. */
  engineHosts?: number;
  /** How organizations share these hosts, if requests wait for them. */
  engineLimits?: EngineHostsOptions["limits"];
  /** Whether a host is started ahead for the next organization. */
  keepsSpareHost?: boolean;
  /** The isolation of engine hosts. Default: the strongest one that works on this machine. */
  isolation?: EngineHostsOptions["isolation"];
  /** Name servers for proofs of domains, as `address:port`. Default: the machine's own. */
  nameServers?: readonly string[] | undefined;
  /** Called for errors outside of requests: a broken idle connection, an error inside better-auth. */
  onError: (error: unknown) => void;
  /** Called with the reason of a failed connection if the organization must not see it. */
  onWithheldReason?: EngineHostsOptions["onWithheldReason"];
}

/** Opens the dependencies of the use cases. The caller must close them with `closeDeps`. */
export function openDeps({
  settings,
  clock,
  connectTimeoutMs,
  engineHosts = 1,
  engineLimits,
  keepsSpareHost = false,
  isolation,
  nameServers,
  onError,
  onWithheldReason = () => {},
}: DepsOptions): Deps {
  const keyring = parseSetting("SEALING_KEYS", () => parseKeyring(settings.SEALING_KEYS));
  const networks = parseSetting("ANALYTICS_NETWORKS", () => parseNetworks(settings.ANALYTICS_NETWORKS));
  const sealer = createSealer(keyring);
  const deployment = {
    publicUrl: settings.PUBLIC_URL,
    publicPagesUrl: settings.PUBLIC_PAGES_URL ?? null,
    restCompatibility: settings.REST_COMPATIBILITY,
    organizationCreation: settings.ORGANIZATION_CREATION ?? "operator",
    ceilings: toCeilings(settings),
    sendsMail: settings.SMTP_URL !== undefined,
    retention: toRetentionPeriods(settings),
    pastResultsQuotaBytes: toPastResultsQuota(settings),
    dataFolder: settings.DUCKDB_FOLDER,
    uploads: toUploadLimits(settings),
    admins: new Set(splitList(settings.DEPLOYMENT_ADMINS ?? "")),
  };
  const policy = { allowLoopback: settings.WEBHOOK_ALLOW_LOOPBACK ?? false, allowNetworks: [] };
  const guard = createGuard({ policy, clock });
  const db = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    connectTimeoutMs,
    onConnectionError: onError,
  });
  const secret = deriveSecret(keyring[0], "session cookies");
  const auth = createAuth({ db, clock, sealer, deployment, secret, onError });
  const engines = createEngineHosts({
    size: engineHosts,
    limits: engineLimits,
    keepsSpareHost,
    isolation,
    dataFolder: settings.DUCKDB_FOLDER,
    resolveHost: resolveDatabaseHost(
      createGuard({ policy: { allowLoopback: false, allowNetworks: networks }, clock }),
    ),
    onUnexpectedExit: (exit) => onError(new Error(`An engine host ended: ${JSON.stringify(exit)}`)),
    onWithheldReason,
  });
  const cursors = createCursors({ sealer, clock });
  const models = openModels(settings, clock);
  const singleSignOn = openSingleSignOn(settings, { clock, guard, nameServers });
  const keyCache = createKeyCache({ db, clock });
  const rights = createRightsCache({ db, clock });
  return {
    db,
    clock,
    sealer,
    cursors,
    guard,
    auth,
    keyCache,
    rights,
    deployment,
    engines,
    models,
    singleSignOn,
  };
}

/** Names that are separated by commas or white space, in lower case. */
const splitList = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== "");

function openSingleSignOn(
  settings: DepsSettings,
  { clock, guard, nameServers }: Pick<Deps, "clock" | "guard"> & Pick<DepsOptions, "nameServers">,
): Deps["singleSignOn"] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET, OIDC_NETWORKS = "" } = settings;
  if ((issuer === undefined) !== (clientId === undefined)) {
    throw new SettingsError("OIDC_ISSUER and OIDC_CLIENT_ID belong together: set both, or neither.");
  }
  const allowNetworks = parseSetting("OIDC_NETWORKS", () => parseNetworks(OIDC_NETWORKS));
  const policy = { allowLoopback: settings.WEBHOOK_ALLOW_LOOPBACK ?? false, allowNetworks };
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  if (nameServers) resolver.setServers(nameServers);
  return {
    guards: {
      organizations: createIssuerGuard(guard),
      deployment: createIssuerGuard(createGuard({ policy, clock })),
    },
    deployment:
      issuer !== undefined && clientId !== undefined
        ? {
            name: settings.OIDC_NAME ?? "single sign-on",
            issuer,
            clientId,
            clientSecret: OIDC_CLIENT_SECRET ?? null,
            domains: splitList(settings.OIDC_DOMAINS ?? ""),
            enforced: settings.OIDC_ENFORCED ?? false,
          }
        : null,
    resolveTxt: (name) => resolver.resolveTxt(name),
  };
}

function openModels(
  { MODEL_URL, MODEL_NAME, MODEL_API_KEY, MODEL_NETWORKS = "" }: DepsSettings,
  clock: Clock,
): Deps["models"] {
  if ((MODEL_URL === undefined) !== (MODEL_NAME === undefined)) {
    throw new SettingsError("MODEL_URL and MODEL_NAME belong together: set both, or neither.");
  }
  const networks = parseSetting("MODEL_NETWORKS", () => parseNetworks(MODEL_NETWORKS));
  return {
    guard: createModelGuard({ networks, clock }),
    operator:
      MODEL_URL !== undefined && MODEL_NAME !== undefined
        ? { url: MODEL_URL, name: MODEL_NAME, apiKey: MODEL_API_KEY ?? null }
        : null,
    // Models think for a while before they begin to answer.
    limits: { silenceMs: 120_000, maxBytes: 16 * 1024 ** 2 },
  };
}

export async function closeDeps({ db, engines }: Deps): Promise<void> {
  await engines.close();
  await db.close();
}

function parseSetting<Value>(setting: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new SettingsError(`${setting} cannot be used. ${error instanceof Error ? error.message : ""}`);
  }
}
