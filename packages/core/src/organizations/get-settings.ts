import type { Caller, OrganizationSettings } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toSettings } from "./settings-row.ts";

export async function getSettings(
  { db, clock }: Deps,
  { organizationId }: Caller,
): Promise<OrganizationSettings> {
  return toSettings(await db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } }), clock);
}
