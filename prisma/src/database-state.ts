import type { Pool } from "pg";
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
  const applied = server.isMigrated
    ? await pool.query<{ name: string }>(
        "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
      )
    : { rows: [] };
  const appliedNames = new Set(applied.rows.map(({ name }) => name));
  const known = await listMigrations();
  return {
    serverVersion: server.version,
    isSupported: server.number >= oldestMajorVersion * 10_000,
    isReadOnly: server.isReadOnly,
    pending: known.filter((name) => !appliedNames.has(name)),
    unknown: [...appliedNames].filter((name) => !known.includes(name)).sort(),
  };
}

/** Why neither migrating nor waiting makes the database usable for this version; undefined if it is. */
export function whyUnsupported({ serverVersion, isSupported, unknown }: DatabaseState): string | undefined {
  if (!isSupported) {
    return `The database server is Postgres ${serverVersion}, and Querybell needs Postgres ${oldestMajorVersion} or newer. Upgrade the server, or use another one.`;
  }
  if (unknown.length > 0) {
    return `The database has migrations that this version of Querybell does not know: ${unknown.join(", ")}. Run the version that has applied them, or a newer one.`;
  }
  return undefined;
}

export const readOnlySentence =
  "The database is read-only: it is a standby, or its server is set to read-only, for example because its disk is full. Connect to a server that accepts writes.";
