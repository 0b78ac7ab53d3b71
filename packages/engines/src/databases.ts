import type { Dialect } from "@querybell/statements";
import { z } from "zod";
import { duckdbEngine } from "./duckdb/duckdb-engine.ts";
import type { Server } from "./engine.ts";
import { postgresEngine } from "./postgres/postgres-engine.ts";
import { trinoEngine } from "./trino/trino-engine.ts";

/** An analytical database: which engine, and how to reach it. */
export const Database = z.discriminatedUnion("engine", [
  z.strictObject({ engine: z.literal("duckdb"), configuration: duckdbEngine.configuration }),
  z.strictObject({ engine: z.literal("postgres"), configuration: postgresEngine.configuration }),
  z.strictObject({ engine: z.literal("trino"), configuration: trinoEngine.configuration }),
]);
export type Database = z.infer<typeof Database>;
export type EngineKind = Database["engine"];

const engines = { duckdb: duckdbEngine, postgres: postgresEngine, trino: trinoEngine };

export const dialectOf = (engine: EngineKind): Dialect => engines[engine].dialect;

/** Whether the server continues a query after its client has disconnected. */
export const queriesOutliveClients = (engine: EngineKind): boolean => engines[engine].queriesOutliveClients;

export function serverOf(database: Database): Server | undefined {
  switch (database.engine) {
    case "duckdb":
      return duckdbEngine.server(database.configuration);
    case "postgres":
      return postgresEngine.server(database.configuration);
    case "trino":
      return trinoEngine.server(database.configuration);
  }
}

export function filesOf(database: Database): string[] {
  switch (database.engine) {
    case "duckdb":
      return duckdbEngine.files(database.configuration);
    case "postgres":
      return postgresEngine.files(database.configuration);
    case "trino":
      return trinoEngine.files(database.configuration);
  }
}
