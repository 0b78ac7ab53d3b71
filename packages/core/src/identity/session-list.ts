import type { Prisma } from "@querybell/db";
import {
  AppError,
  describeProgram,
  type EndSession,
  type Person,
  type SessionEntry,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The person's sessions that have not ended, the last used first. */
export async function listSessions({ db }: Deps, person: Person): Promise<SessionEntry[]> {
  const rows = await db.prisma.session.findMany({
    // By the machine's clock, which better-auth reads.
    where: { userId: person.userId, expiresAt: { gt: new Date() } },
  });
  return rows
    .map((row) => toSessionEntry(row, person))
    .toSorted((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
}

/** Ends one of the person's sessions. Its next call is refused, and its open subscriptions end within five seconds. */
export async function endSession({ db }: Deps, { userId }: Person, { id }: EndSession): Promise<void> {
  const { count } = await db.prisma.session.deleteMany({ where: { id, userId } });
  if (count === 0) throw new AppError("not_found", "There is no such session. It may have ended already.");
}

export async function endOtherSessions({ db }: Deps, { userId, sessionId }: Person): Promise<void> {
  await db.prisma.session.deleteMany({ where: { userId, id: { not: sessionId } } });
}

const toSessionEntry = (row: Prisma.SessionModel, { sessionId }: Person): SessionEntry => ({
  id: row.id,
  isCurrent: row.id === sessionId,
  program: describeProgram(row.userAgent),
  address: row.ipAddress,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: (row.lastUsedAt ?? row.createdAt).toISOString(),
});
