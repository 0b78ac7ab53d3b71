import type { Pool } from "pg";
import { baseline, withBaseline } from "./baseline.ts";
import { listMigrations } from "./migrations-folder.ts";

const oldestMajorVersion = 18;

/** What decides whether this version can use a database. */
export interface DatabaseState {
  /** Of Postgres, such as `18.4`. */
  serverVersion: string;
  isSupported: boolean;
  /** A standby, or a server that its operator has set to read-only. */
  isReadOnly: boolean;
  /** The migrations of this version that the database does not have yet. */
  pending: string[];
  /** The migrations of the database that this version does not know: a newer one has applied them. */
  unknown: string[];
}

export async function readDatabaseState(pool: Pick<Pool, "query">): Promise<DatabaseState> {
  const { rows } = await pool.query<{
    version: string;
    number: number;
    isReadOnly: boolean;
    isMigrated: boolean;
  }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
       current_setting('server_version_num')::int AS number,
       current_setting('transaction_read_only')::bool AS "isReadOnly",
       to_regclass('_prisma_migrations') IS NOT NULL AS "isMigrated"`,
  );
  const [server] = rows;
  if (!server) throw new Error("The database did not describe itself.");
  const applied = server.isMigrated ? withBaseline(await listAppliedMigrations(pool)) : [];
  const known = await listMigrations();
  return {
    serverVersion: server.version,
    isSupported: server.number >= oldestMajorVersion * 10_000,
    isReadOnly: server.isReadOnly,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

/** The migrations that a database has, in the order of their names. */
export async function listAppliedMigrations(pool: Pick<Pool, "query">): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Why neither migrating nor waiting makes the database usable for this version; undefined if it is. */
export function whyUnsupported({ serverVersion, isSupported, unknown }: DatabaseState): string | undefined {
  if (!isSupported) {
    return `The database server is Postgres ${serverVersion}, and Querybell needs Postgres ${oldestMajorVersion} or newer. Upgrade the server, or use another one.`;
  }
  if (unknown.some((name) => name < baseline)) {
    return "The database has some of the migrations that the first one of this version replaces, but not all. Apply the others with the version that has them, then use this one.";
  }
  if (unknown.length > 0) {
    return `The database has migrations that this version of Querybell does not know: ${unknown.join(", ")}. Run the version that has applied them, or a newer one.`;
  }
  return undefined;
}

export const readOnlySentence =
  "The database is read-only: it is a standby, or its server is set to read-only, for example because its disk is full. Connect to a server that accepts writes.";
