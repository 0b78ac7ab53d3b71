import { runMigrations as applyJobQueueMigrations } from "graphile-worker";
import pg from "pg";
import { markBaseline } from "./baseline.ts";
import {
  listAppliedMigrations,
  readDatabaseState,
  readOnlySentence,
  whyUnsupported,
} from "./database-state.ts";
import { readMigrationsFolder } from "./migrations-folder.ts";
import { holdScriptLock, openSchemaEngine } from "./schema-engine.ts";

// Any number that is ours: whoever holds it is the one process that migrates this database.
const lockId = 7_281_902_417;

interface ApplyOptions {
  /** Only these, which must be the oldest ones: the rows of a restored backup fit the schema of its version. Default: all. */
  upTo?: readonly string[];
}

/**
 * Brings a database up to date: our own migrations, then those of the job queue. Safe to run again, also after it was
 * killed, and from several processes at once. Returns the names of what it applied. Throws `MigrationError`.
 */
export async function applyMigrations(databaseUrl: string, { upTo }: ApplyOptions = {}): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  // A pool that the job queue made for itself would keep this process for ten seconds more.
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pgPool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  try {
    await requireMigratable(lock);
    await lock.query("SELECT pg_advisory_lock($1)", [lockId]);
    await prepareHistory(lock);
    await using opened = await openSchemaEngine(databaseUrl);
    const { appliedMigrationNames } = await opened.engine.applyMigrations({
      migrationsList: await readMigrationsFolder(upTo),
      filters: { externalTables: [], externalEnums: [] },
    });
    if (appliedMigrationNames.length > 0) {
      for (const name of afterMigrations) await callIfExists(lock, name);
    }
    await applyJobQueueMigrations({ pgPool });
    return appliedMigrationNames;
  } catch (error) {
    throw toMigrationError(error);
  } finally {
    await pgPool.end();
    // Ending the connection gives the lock back.
    await lock.end();
  }
}

/**
 * The engine refuses a database with an unfinished migration. Ours has changed nothing and is applied again. One that a
 * killed process has left to Postgres is waited for. A database from before the baseline is marked as having it.
 */
async function prepareHistory(client: pg.Client): Promise<void> {
  await client.query(holdScriptLock);
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  if (!rows[0]?.exists) return;
  await client.query("DELETE FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL");
  await markBaseline(client, await listAppliedMigrations(client));
}

/** A view keeps the columns that its table had; a function that was replaced has lost its grants. */
const afterMigrations = ["create_rights_views", "grant_public_role"];

/** A restored backup of an older version may lack the function. */
async function callIfExists(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>("SELECT to_regproc($1) IS NOT NULL AS exists", [
    `public.${name}`,
  ]);
  if (rows[0]?.exists) await client.query(`SELECT public.${name}()`);
}

interface Privileges {
  role: string;
  database: string;
  mayCreateSchemas: boolean;
  mayCreateTables: boolean;
}

/** Throws a `MigrationError` that says what to change if the migrations that are missing cannot be applied. */
async function requireMigratable(client: pg.Client): Promise<void> {
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

/**
 * All that a role needs to migrate and to run Querybell, in the order in which an administrator gives it. A role that owns
 * its database has all of it. A test migrates, restores and runs with these and nothing else.
 */
export const neededGrants = (database: string, role: string) => ({
  connect: `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
  /** `graphile_worker` and `partitions`. */
  createSchemas: `GRANT CREATE ON DATABASE ${database} TO ${role}`,
  createTables: `GRANT USAGE, CREATE ON SCHEMA public TO ${role}`,
});

/** A migration that Postgres refused, or a database that cannot be migrated. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** The engine's message is a stack trace of its own functions, with the migration and what Postgres said in it. */
function toMigrationError(error: unknown): unknown {
  const text = error instanceof Error ? error.message : "";
  const [, migration] = /\bmigration_name="([^"]+)"/.exec(text) ?? [];
  const [, reason] = /^Error querying the database: (.+)$/m.exec(text) ?? [];
  if (migration === undefined || reason === undefined) return error;
  return new MigrationError(
    `The migration ${migration} failed and has changed nothing. Postgres says: ${reason}`,
    { cause: error },
  );
}
