import type { Prisma } from "@querybell/db";
import { type Clock, isRestRetired, OrganizationSettings } from "@querybell/domain";

export const toSettings = (row: Prisma.OrganizationModel, clock: Clock): OrganizationSettings =>
  OrganizationSettings.parse({
    ...row,
    restCompatibility: isRestRetired(row, clock.now()) ? "retired" : "live",
    restSunsetAt: row.restSunsetAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  });
