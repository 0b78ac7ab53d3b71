import type { Database } from "./databases.ts";
import type { ConnectionContext, EngineSession } from "./engine.ts";

/** Loads only the driver that is needed, because loading modules is most of the time that a host takes to start. */
export async function connect(database: Database, context: ConnectionContext): Promise<EngineSession> {
  switch (database.engine) {
    case "duckdb": {
      const { connectDuckdb } = await import("./duckdb/connect-duckdb.ts");
      return connectDuckdb(database.configuration, context);
    }
    case "postgres": {
      const { connectPostgres } = await import("./postgres/connect-postgres.ts");
      return connectPostgres(database.configuration, context);
    }
    case "trino": {
      const { connectTrino } = await import("./trino/connect-trino.ts");
      return connectTrino(database.configuration, context);
    }
  }
}

/** Ends queries of earlier sessions with the same label. Only Trino continues queries whose client has disconnected. */
export async function endAbandonedQueries(database: Database, context: ConnectionContext): Promise<void> {
  if (database.engine !== "trino") return;
  const trino = await import("./trino/connect-trino.ts");
  await trino.endAbandonedQueries(database.configuration, context);
}
