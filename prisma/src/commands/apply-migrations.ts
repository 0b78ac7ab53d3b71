// `pnpm migration:apply`: brings the database at DATABASE_URL up to date. Safe to run again.
import { applyMigrations } from "../apply-migrations.ts";

const url = process.env.DATABASE_URL;
if (!url) {
  console.error("Set DATABASE_URL to the database that should be brought up to date.");
  process.exit(1);
}
try {
  const applied = await applyMigrations(url);
  console.log(applied.length > 0 ? `Applied ${applied.join(", ")}.` : "The database is up to date.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
