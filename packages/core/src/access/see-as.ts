import { AppError, type Caller, isAtLeast, type Person, type Role, type SeeAs } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockMember } from "../members/members.ts";

/** Lets an admin see the organization as a member does, until they stop or the session ends. */
export async function seeAs({ db, clock }: Deps, caller: Caller, { userId }: SeeAs): Promise<void> {
  const { via, organizationId } = caller;
  if (via.kind !== "session") throw new Error("An API key sees as somebody else.");
  if (userId === caller.userId) {
    throw new AppError(
      "invalid_request",
      "You see the organization as yourself already. Choose somebody else.",
    );
  }
  const { sessionId } = via;
  await db.transaction(async (tx) => {
    const role = await lockMember(tx, caller, userId);
    if (role === "owner" && caller.role !== "owner") {
      throw new AppError("forbidden", "Only an owner sees as another owner. Choose somebody else.");
    }
    const row = { organizationId, userId, createdAt: clock.now() };
    await tx.seenAs.upsert({ where: { sessionId }, create: { sessionId, ...row }, update: row });
    await recordAudit({ tx, clock }, caller, { action: "member.seen_as", targetId: userId });
  });
}

/** Ends it. Doing it twice changes nothing. */
export async function stopSeeingAs({ db }: Deps, { sessionId }: Person): Promise<void> {
  await db.prisma.seenAs.deleteMany({ where: { sessionId } });
}

/** The caller, or the member as whom an admin sees the organization. */
export async function asSeen({ db }: Pick<Deps, "db">, caller: Caller): Promise<Caller> {
  const { via, organizationId, role } = caller;
  if (via.kind !== "session" || !isAtLeast(role, "admin")) return caller;
  const { rows } = await db.pool.query<{ userId: string; role: Role }>({
    name: "find_seen_as",
    text: `
      SELECT s.user_id AS "userId", m.role FROM seen_as s JOIN members m USING (organization_id, user_id)
      WHERE s.session_id = $1 AND s.organization_id = $2`,
    values: [via.sessionId, organizationId],
  });
  const [seen] = rows;
  return seen ? { ...caller, ...seen, seenBy: caller.userId } : caller;
}
