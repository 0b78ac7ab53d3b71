import type { Membership, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Lists the person's organizations, oldest membership first. */
export async function listMemberships({ db }: Deps, { userId }: Person): Promise<Membership[]> {
  const memberships = await db.prisma.member.findMany({
    where: { userId },
    include: { organization: true },
    orderBy: [{ createdAt: "asc" }, { organizationId: "asc" }],
  });
  return memberships.map(({ organizationId, organization: { name, slug }, role }) => ({
    organizationId,
    name,
    slug,
    role,
  }));
}
