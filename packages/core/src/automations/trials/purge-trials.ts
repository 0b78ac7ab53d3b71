import type { Deps } from "../../deps.ts";

const keptMs = 86_400_000;

/** Deletes trials of more than a day ago, with their chats. */
export async function purgeTrials({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const createdAt = { lt: new Date(clock.now().getTime() - keptMs) };
  const { count } = await db.prisma.automation.deleteMany({
    where: { deletedAt: { not: null }, runs: { some: { isTrial: true, createdAt } } },
  });
  return count;
}
