import { rowVersionDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Deletes expired results. */
export async function purgeExpiredResults({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { count } = await db.prisma.queryResult.deleteMany({ where: { expiresAt: { lte: clock.now() } } });
  return count;
}

const versionRetentionMs = rowVersionDays * 24 * 60 * 60 * 1000;

/** Deletes old row versions. Every cursor that could need them has expired. */
export async function purgeRowVersions({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const replacedAt = { lt: new Date(clock.now().getTime() - versionRetentionMs) };
  const { count } = await db.prisma.rowVersion.deleteMany({ where: { replacedAt } });
  return count;
}
