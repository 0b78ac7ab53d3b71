import { rowVersionDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Removes the results whose time is over. */
export async function purgeExpiredResults({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { count } = await db.prisma.queryResult.deleteMany({ where: { expiresAt: { lte: clock.now() } } });
  return count;
}

const keepVersionsForMs = rowVersionDays * 24 * 60 * 60 * 1000;

/** Removes old versions of listed rows: no sequence of pages can ask for them any more. */
export async function purgeRowVersions({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const replacedAt = { lt: new Date(clock.now().getTime() - keepVersionsForMs) };
  const { count } = await db.prisma.rowVersion.deleteMany({ where: { replacedAt } });
  return count;
}
