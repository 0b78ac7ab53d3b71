import type { Deps } from "@querybell/core";
import { pendingMigrations } from "@querybell/prisma/pending";
import { SettingsError } from "./settings-error.ts";

export type Readiness = { ready: true } | { ready: false; reason: string };

/** Checks that the database answers and has all migrations of this version. */
export async function checkReadiness({ db }: Pick<Deps, "db">): Promise<Readiness> {
  try {
    const pending = await pendingMigrations(db.pool);
    if (pending.length === 0) return { ready: true };
    return {
      ready: false,
      reason: `The database lacks migrations: ${pending.join(", ")}. Run pnpm migration:apply first.`,
    };
  } catch {
    return { ready: false, reason: "The database does not answer." };
  }
}

/** For a process that can do nothing without the tables of its version. */
export async function requireReadiness(deps: Pick<Deps, "db">): Promise<void> {
  const readiness = await checkReadiness(deps);
  if (!readiness.ready) throw new SettingsError(readiness.reason);
}
