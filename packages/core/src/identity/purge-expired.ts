import { endedInvitationDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

const keepInvitationsForMs = endedInvitationDays * 24 * 60 * 60 * 1000;

/** Deletes expired sessions and password reset links, and invitations that expired a month ago. */
export async function purgeExpiredIdentity({ db, clock }: Pick<Deps, "db" | "clock">) {
  const now = clock.now();
  const monthAgo = new Date(now.getTime() - keepInvitationsForMs);
  const [sessions, verifications, invitations] = await Promise.all([
    db.prisma.session.deleteMany({ where: { expiresAt: { lt: now } } }),
    db.prisma.verification.deleteMany({ where: { expiresAt: { lt: now } } }),
    db.prisma.invitation.deleteMany({ where: { expiresAt: { lt: monthAgo } } }),
  ]);
  return { sessions: sessions.count, verifications: verifications.count, invitations: invitations.count };
}
