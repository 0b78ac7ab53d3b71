import type { EngineKind } from "@querybell/domain";
import { z } from "zod";
import { duckdbEngine } from "./duckdb/duckdb-engine.ts";
import type { ConnectionContext, Engine, EngineSession } from "./engine.ts";
import { postgresEngine } from "./postgres/postgres-engine.ts";
import { trinoEngine } from "./trino/trino-engine.ts";

/** Every engine. A new one needs a line here. */
const engines = { duckdb: duckdbEngine, postgres: postgresEngine, trino: trinoEngine };

type Configurations = {
  [Kind in EngineKind]: z.infer<(typeof engines)[Kind]["database"]>["configuration"];
};

// A mapped type, so that the compiler ties the configuration of a database to its engine.
const byKind: { [Kind in EngineKind]: Engine<Kind, Configurations[Kind]> } = engines;

export const engineOf = <Kind extends EngineKind>(kind: Kind): Engine<Kind, Configurations[Kind]> =>
  byKind[kind];

export const allEngines = Object.values(engines);

/** An analytical database: which engine, and how to reach it. */
export const Database = z.union(allEngines.map(({ database }) => database));
export type Database = z.infer<typeof Database>;

/** Opens a session on a database, inside an engine host. */
export async function connect(
  { engine, configuration }: Database,
  context: ConnectionContext,
): Promise<EngineSession> {
  const driver = await engineOf(engine).loadDriver();
  return driver.connect(configuration, context);
}

/** Ends queries of earlier sessions with the same label, on servers that continue them without their client. */
export async function endAbandonedQueries(
  { engine, configuration }: Database,
  context: ConnectionContext,
): Promise<void> {
  const driver = await engineOf(engine).loadDriver();
  await driver.endAbandonedQueries?.(configuration, context);
}
