import type { Prisma } from "@querybell/db";
import type { KnownServers } from "@querybell/engines";
import type { Deps } from "../deps.ts";

interface Scope {
  organizationId: string;
  /** The saved database that is connected to, which remembers the server that let us in. */
  database?: Pick<Prisma.AnalyticalDatabaseConfigModel, "id" | "reachedServers">;
}

/** The servers that have let an organization in through a database that it still has. */
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
