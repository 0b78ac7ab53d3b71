import type { Caller, Member } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Lists the members, oldest membership first. */
export async function listMembers({ db }: Deps, { organizationId }: Caller): Promise<Member[]> {
  const members = await db.prisma.member.findMany({
    where: { organizationId },
    include: { user: true },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
  });
  return members.map(({ user, role, createdAt }) => ({
    userId: user.id,
    name: user.name,
    email: user.email,
    role,
    createdAt: createdAt.toISOString(),
  }));
}
