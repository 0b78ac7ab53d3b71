import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import { readMigration } from "./migrations-folder.ts";

export const baseline = "20261117060000_baseline";

/** What the baseline replaces: this many migrations, the last of which is this one. */
const replaced = { count: 31, newest: "20261117014813_host_deaths" };

/** The applied migrations, in the words of this version: a database with all that the baseline replaces has the baseline. */
export function withBaseline(applied: readonly string[]): string[] {
  const isBefore = (name: string) => name < baseline;
  const isComplete = applied.filter(isBefore).length === replaced.count && applied.includes(replaced.newest);
  return isComplete ? [baseline, ...applied.filter((name) => !isBefore(name))] : [...applied];
}

/** Marks a database that has all the migrations that the baseline replaces as one that has the baseline. */
export async function markBaseline(client: pg.ClientBase, applied: readonly string[]): Promise<void> {
  if (applied.includes(baseline) || !withBaseline(applied).includes(baseline)) return;
  const checksum = createHash("sha256")
    .update(await readMigration(baseline))
    .digest("hex");
  await client.query("BEGIN");
  await client.query("DELETE FROM _prisma_migrations WHERE migration_name < $1", [baseline]);
  await client.query(
    `INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), now(), 1)`,
    [randomUUID(), baseline, checksum],
  );
  await client.query("COMMIT");
}
