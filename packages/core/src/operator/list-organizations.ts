import type { Deps } from "../deps.ts";

/** Lists all organizations of the deployment. */
export function listOrganizationsAsOperator({ db }: Pick<Deps, "db">) {
  return db.prisma.organization.findMany({
    select: {
      slug: true,
      name: true,
      webhooksEnabled: true,
      restCompatibility: true,
      _count: { select: { members: true } },
    },
    orderBy: { createdAt: "asc" },
  });
}
