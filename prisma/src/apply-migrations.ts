import { runMigrations as applyJobQueueMigrations } from "graphile-worker";
import pg from "pg";
import { markBaseline } from "./baseline.ts";
import { listAppliedMigrations } from "./database-state.ts";
import { holdScriptLock } from "./engine-adapter.ts";
import { toMigrationError } from "./migration-error.ts";
import { readMigrationsFolder } from "./migrations-folder.ts";
import { requireMigratable } from "./require-migratable.ts";
import { openSchemaEngine } from "./schema-engine.ts";

// Any number that is ours: whoever holds it is the one process that migrates this database.
const lockId = 7_281_902_417;

interface ApplyOptions {
  /** Only these, which must be the oldest ones: a restored backup has rows of the schema of then. Default: all. */
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
