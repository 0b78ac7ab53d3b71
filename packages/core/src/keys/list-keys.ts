import type { ApiKey, Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toApiKey } from "./api-key-row.ts";

/** Lists the organization's keys that are not revoked, newest first, including expired ones. */
export async function listKeys({ db }: Deps, { organizationId }: Caller): Promise<ApiKey[]> {
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId, revokedAt: null },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return rows.map(toApiKey);
}
