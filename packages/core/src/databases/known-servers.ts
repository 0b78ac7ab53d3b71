import type { Prisma } from "@querybell/db";
import type { KnownServers } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";

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
