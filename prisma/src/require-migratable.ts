import type pg from "pg";
import { readDatabaseState, readOnlySentence, whyUnsupported } from "./database-state.ts";
import { MigrationError } from "./migration-error.ts";
import { neededGrants } from "./needed-grants.ts";

interface Privileges {
  role: string;
  database: string;
  mayCreateSchemas: boolean;
  mayCreateTables: boolean;
}

/** Throws a `MigrationError` that says what to change if the migrations that are missing cannot be applied. */
export async function requireMigratable(client: pg.Client): Promise<void> {
  const state = await readDatabaseState(client);
  const reason = whyUnsupported(state);
  if (reason !== undefined) throw new MigrationError(reason);
  if (state.isReadOnly) throw new MigrationError(readOnlySentence);
  if (state.pending.length === 0) return;
  const { rows } = await client.query<Privileges>(`
    SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
      has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchemas",
      has_schema_privilege('public', 'USAGE') AND has_schema_privilege('public', 'CREATE') AS "mayCreateTables"`);
  for (const { role, database, mayCreateSchemas, mayCreateTables } of rows) {
    const { createSchemas, createTables } = neededGrants(database, role);
    const missing = [
      ...(mayCreateSchemas ? [] : [createSchemas]),
      ...(mayCreateTables ? [] : [createTables]),
    ];
    if (missing.length === 0) return;
    throw new MigrationError(
      `The role ${role} may not create what the migrations create in ${database}. Make it the owner of the database (ALTER DATABASE ${database} OWNER TO ${role}), or execute as an administrator: ${missing.join("; ")}.`,
    );
  }
}
