import type { Database } from "./databases.ts";
import { connectDuckdb } from "./duckdb/connect-duckdb.ts";
import type { ConnectionContext, EngineSession } from "./engine.ts";
import { connectPostgres } from "./postgres/connect-postgres.ts";
import { connectTrino } from "./trino/connect-trino.ts";

/** Loads the drivers: for engine hosts and tests alone. */
export function connect(database: Database, context: ConnectionContext): Promise<EngineSession> {
  switch (database.engine) {
    case "duckdb":
      return connectDuckdb(database.configuration, context);
    case "postgres":
      return connectPostgres(database.configuration, context);
    case "trino":
      return connectTrino(database.configuration, context);
  }
}
