import type { ConnectionContext, EngineSession } from "./engine.ts";
import { type Database, engineOf } from "./engines.ts";

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
