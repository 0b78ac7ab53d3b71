import type { Pool } from "pg";
import { listMigrations } from "./migrations-folder.ts";

/** The migrations of this version that a database does not have yet: none means that it is ready. */
export async function pendingMigrations(pool: Pick<Pool, "query">): Promise<string[]> {
  const { rows: known } = await pool.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  const applied = known[0]?.exists
    ? await pool.query<{ name: string }>(
        "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
      )
    : { rows: [] };
  const names = new Set(applied.rows.map((row) => row.name));
  return (await listMigrations()).filter((name) => !names.has(name));
}
