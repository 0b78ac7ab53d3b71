import type { Deps } from "@querybell/core";
import { pendingMigrations } from "@querybell/prisma/pending";

export type Readiness = { ready: true } | { ready: false; reason: string };

/** Whether this process can serve: the database answers and has every migration of this version. */
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
