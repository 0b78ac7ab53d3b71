/** A migration that Postgres refused, or a database that cannot be migrated. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** The engine's message is a stack trace of its own functions, with the migration and what Postgres said in it. */
export function toMigrationError(error: unknown): unknown {
  const text = error instanceof Error ? error.message : "";
  const [, migration] = /\bmigration_name="([^"]+)"/.exec(text) ?? [];
  const [, reason] = /^Error querying the database: (.+)$/m.exec(text) ?? [];
  if (migration === undefined || reason === undefined) return error;
  return new MigrationError(
    `The migration ${migration} failed and has changed nothing. Postgres says: ${reason}`,
    { cause: error },
  );
}
