import type { Prisma } from "@querybell/db";
import { AppError, DatabaseConnection, type DatabaseCredentials } from "@querybell/domain";
import type { HostResolution, KnownServers } from "@querybell/engine-hosts";
import { Database, engineOf, uploadsDatabase } from "@querybell/engines";
import type { Guard, Refusal } from "@querybell/guard";
import { UnsealError } from "@querybell/sealing";
import type { Deps } from "../deps.ts";
import { storePath } from "../uploads/stored-files.ts";

type Organization = Pick<Prisma.OrganizationModel, "slug">;

/** Converts a stored configuration to the input of the engines, with opened credentials. */
export function openConnection(
  deps: Pick<Deps, "sealer">,
  organization: Organization,
  row: Pick<
    Prisma.AnalyticalDatabaseConfigModel,
    "id" | "organizationId" | "engine" | "settings" | "sealedCredentials" | "holdsUploads" | "uploadFileId"
  >,
): Database {
  const { engine, settings, organizationId, uploadFileId: fileId } = row;
  if (row.holdsUploads)
    return uploadsDatabase(fileId === null ? null : storePath({ organizationId, fileId }));
  const hasCredentials = engineOf(engine).credentialsName !== undefined;
  const credentials = hasCredentials && {
    credentials: openCredentials(deps, row, row.sealedCredentials ?? ""),
  };
  return toEngineDatabase(organization, DatabaseConnection.parse({ engine, settings, ...credentials }));
}

export const toEngineDatabase = (organization: Organization, connection: DatabaseConnection): Database =>
  Database.parse({
    engine: connection.engine,
    configuration: engineOf(connection.engine).configure(connection, organization),
  });

interface Owner {
  organizationId: string;
  id: string;
}

// The organization and the configuration are authenticated, so a sealed value copied to another row cannot be opened.
const purpose = ({ organizationId, id }: Owner) => `database credentials ${organizationId} ${id}`;

export const sealCredentials = (
  { sealer }: Pick<Deps, "sealer">,
  owner: Owner,
  credentials: DatabaseCredentials,
): string => sealer.seal(purpose(owner), Buffer.from(JSON.stringify(credentials)));

/** Opens the credentials. The engine's schema parses them. */
export function openCredentials({ sealer }: Pick<Deps, "sealer">, owner: Owner, sealed: string): unknown {
  try {
    return JSON.parse(Buffer.from(sealer.open(purpose(owner), sealed)).toString());
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new AppError(
      "database_credentials_refused",
      "The stored credentials of this database can no longer be opened. An admin has to enter them again.",
      { cause: error },
    );
  }
}

interface Scope {
  organizationId: string;
  /** The saved database. The servers that accepted its credentials are stored with it. */
  database?: Pick<Prisma.AnalyticalDatabaseConfigModel, "id" | "reachedServers">;
}

/** The servers that accepted the credentials of one of the organization's databases. */
export const knownServers = (
  { db }: Pick<Deps, "db">,
  { organizationId, database }: Scope,
): KnownServers => ({
  async has(server) {
    const found = await db.prisma.analyticalDatabaseConfig.count({
      where: { organizationId, deletedAt: null, reachedServers: { has: server } },
    });
    return found > 0;
  },
  async add(servers) {
    if (!database || servers.every((server) => database.reachedServers.includes(server))) return;
    await db.prisma.analyticalDatabaseConfig.updateMany({
      where: { id: database.id, organizationId },
      data: { reachedServers: servers },
    });
  },
});

/** Resolves the host of an analytical database to addresses that the guard allows, or says why it does not. */
export const resolveDatabaseHost =
  (guard: Guard) =>
  async (host: string): Promise<HostResolution> => {
    const parsed = guard.parseHost(host);
    const checked = parsed.kind === "host" ? await guard.check(parsed) : parsed;
    return checked.kind === "checked"
      ? { kind: "resolved", addresses: checked.addresses }
      : { kind: "failed", failure: toFailure(host, checked) };
  };

function toFailure(host: string, { kind, message }: Refusal) {
  const hint =
    kind === "refused_address"
      ? " If it is the operator's own network, they can allow it with ANALYTICS_NETWORKS."
      : "";
  return {
    code: "database_unreachable" as const,
    message: `${host} cannot be connected to: ${message}${hint}`,
  };
}
