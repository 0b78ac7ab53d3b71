import {
  type Caller,
  type DatabaseConnection,
  type DatabaseId,
  DatabaseLimits,
  type DatabaseTable,
  type ListTables,
  type TestedDatabase,
} from "@querybell/domain";
import type { DatabaseRequest, WaitOptions } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { knownServers, openConnection, toEngineDatabase } from "./connections.ts";
import { getDatabaseRow, requireWriteSql } from "./get-database.ts";
import { clampLimits } from "./limits.ts";

/** Connects to a stored database and returns the server's version and warnings. Throws the reason if it fails. */
export async function testDatabase(
  deps: Deps,
  caller: Caller,
  { id, signal }: DatabaseId & WaitOptions,
): Promise<TestedDatabase> {
  const { rowPolicies: _policies, groupRoles: _roles, ...stored } = await openStored(deps, caller, id);
  return deps.engines.testConnection(stored, { signal });
}

/** Tests a connection that is not stored yet. */
export async function testConnection(
  deps: Deps,
  { organizationId }: Caller,
  { connection, signal }: { connection: DatabaseConnection } & WaitOptions,
): Promise<TestedDatabase> {
  const { db, engines } = deps;
  const organization = await db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  return engines.testConnection(
    {
      organizationId,
      database: toEngineDatabase(organization, connection),
      knownServers: knownServers(deps, { organizationId }),
    },
    { signal },
  );
}

/** Lists the tables of a database with their columns. */
export async function listTables(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal, ...page }: ListTables & WaitOptions,
): Promise<DatabaseTable[]> {
  const { rowPolicies: _policies, groupRoles: _roles, ...stored } = await openStored(deps, caller, id);
  return deps.engines.listTables({ ...stored, ...page }, { signal });
}

/** The schemas of a database, by which its tables can be listed. */
export async function listSchemas(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal }: DatabaseId & WaitOptions,
): Promise<string[]> {
  const { rowPolicies: _policies, groupRoles: _roles, ...stored } = await openStored(deps, caller, id);
  return deps.engines.listSchemas(stored, { signal });
}

/** A stored database, with the limits of a run on it. Throws unless the caller may write SQL on it. */
export async function openStored(
  deps: Deps,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<DatabaseRequest & { limits: DatabaseLimits; rowPolicies: unknown; groupRoles: unknown }> {
  const row = await getDatabaseRow(deps.db.prisma, { organizationId }, id);
  requireWriteSql(id);
  return {
    organizationId,
    rowPolicies: row.rowPolicies,
    groupRoles: row.groupRoles,
    limits: clampLimits(deps.deployment, DatabaseLimits.parse(row.limits)),
    database: openConnection(deps, row.organization, row),
    knownServers: knownServers(deps, { organizationId, database: row }),
  };
}
