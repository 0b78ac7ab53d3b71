import type {
  Caller,
  DatabaseConnection,
  DatabaseId,
  DatabaseTable,
  ListTables,
  TestedDatabase,
} from "@querybell/domain";
import type { DatabaseRequest, WaitOptions } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { findDatabase } from "./find-database.ts";
import { knownServers } from "./known-servers.ts";
import { openConnection, toEngine } from "./open-connection.ts";

/** Connects to a stored database and says what answers; refused with the reason when nothing does. */
export async function testDatabase(
  deps: Deps,
  caller: Caller,
  { id, signal }: DatabaseId & WaitOptions,
): Promise<TestedDatabase> {
  return deps.engines.testConnection(await open(deps, caller, id), { signal });
}

/** The same before anything is stored. */
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
      database: toEngine(organization, connection),
      knownServers: knownServers(deps, { organizationId }),
    },
    { signal },
  );
}

/** The tables of a database with their columns. */
export async function listTables(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal, ...page }: ListTables & WaitOptions,
): Promise<DatabaseTable[]> {
  return deps.engines.listTables({ ...(await open(deps, caller, id)), ...page }, { signal });
}

/** The schemas of a database, by which its tables can be listed. */
export async function listSchemas(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal }: DatabaseId & WaitOptions,
): Promise<string[]> {
  return deps.engines.listSchemas(await open(deps, caller, id), { signal });
}

async function open(
  deps: Deps,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<DatabaseRequest> {
  const row = await findDatabase(deps.db.prisma, { organizationId }, id);
  return {
    organizationId,
    database: openConnection(deps, row.organization, row),
    knownServers: knownServers(deps, { organizationId, database: row }),
  };
}
