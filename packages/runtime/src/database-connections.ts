import type { Deps } from "@querybell/core";

/** The metric that the api and the worker share. */
export const databaseConnectionsMetric = {
  name: "querybell_database_connections",
  help: "Connections of this process to the database, by state: busy, idle, waited_for (calls that wait for one)",
  labelNames: ["state"] as const,
};

export function countConnections({ db }: Pick<Deps, "db">): Record<"busy" | "idle" | "waited_for", number> {
  const { totalCount, idleCount, waitingCount } = db.pool;
  return { busy: totalCount - idleCount, idle: idleCount, waited_for: waitingCount };
}
