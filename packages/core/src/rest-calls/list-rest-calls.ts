import type { Caller, RestCall } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { keyStart } from "../keys/api-key-row.ts";

// Each key has at most nine routes. Longer lists are cut.
const maxListed = 500;

/** Lists the last call of each key and published REST route, newest first. */
export async function listRestCalls({ db }: Deps, { organizationId }: Caller): Promise<RestCall[]> {
  const rows = await db.prisma.restCall.findMany({
    where: { organizationId },
    include: { key: { include: { member: { include: { user: true } } } } },
    orderBy: [{ lastCalledAt: "desc" }, { keyId: "asc" }, { route: "asc" }],
    take: maxListed,
  });
  return rows.map(({ key, route, retired, lastCalledAt }) => {
    const { id: userId, name, email } = key.member.user;
    return {
      key: { id: key.id, name: key.name, start: keyStart(key), revoked: key.revokedAt !== null },
      owner: { userId, name, email },
      route,
      retired,
      lastCalledAt: lastCalledAt.toISOString(),
    };
  });
}
