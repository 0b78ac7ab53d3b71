import type {
  Caller,
  DatabaseConnection,
  DatabaseId,
  DatabaseTable,
  TestedDatabase,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { findDatabase } from "./find-database.ts";
import { openConnection, toEngine } from "./open-connection.ts";

/** Connects to a stored database and says what answers; refused with the reason when nothing does. */
export async function testDatabase(deps: Deps, caller: Caller, { id }: DatabaseId): Promise<TestedDatabase> {
  return { version: await deps.engines.testConnection(await open(deps, caller, id)) };
}

/** The same before anything is stored. */
export async function testConnection(
  { db, engines }: Deps,
  { organizationId }: Caller,
  connection: DatabaseConnection,
): Promise<TestedDatabase> {
  const organization = await db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  return { version: await engines.testConnection(toEngine(organization, connection)) };
}

/** The tables of a database with their columns. */
export async function listTables(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id }: DatabaseId,
): Promise<DatabaseTable[]> {
  return deps.engines.listTables(await open(deps, caller, id));
}

async function open(deps: Deps, caller: Pick<Caller, "organizationId">, id: string) {
  const row = await findDatabase(deps.db.prisma, caller, id);
  return openConnection(deps, row.organization, row);
}
