import type { Deps } from "../deps.ts";

/** Every organization of the deployment, for the operator. */
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
