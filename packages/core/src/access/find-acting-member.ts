import type { Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The person as a caller, for work that is done with their rights. Undefined unless they are a member, and no viewer. */
export async function findActingMember(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
): Promise<Caller | undefined> {
  const member = await db.prisma.member.findUnique({
    where: { organizationId_userId: { organizationId, userId } },
    select: { role: true, user: { select: { disabledAt: true } } },
  });
  if (!member || member.role === "viewer" || member.user.disabledAt !== null) return undefined;
  return { userId, organizationId, role: member.role, via: { kind: "session", sessionId: "" } };
}
