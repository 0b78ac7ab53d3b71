import type { Prisma } from "@querybell/db";
import { type Clock, isRestRetired, type OrganizationSettings } from "@querybell/domain";

export const toSettings = (row: Prisma.OrganizationModel, clock: Clock): OrganizationSettings => ({
  name: row.name,
  slug: row.slug,
  webhooksEnabled: row.webhooksEnabled,
  restCompatibility: isRestRetired(row, clock.now()) ? "retired" : "live",
  restSunsetAt: row.restSunsetAt?.toISOString() ?? null,
  resultLifetimeSeconds: row.resultLifetimeSeconds,
  uploadsBy: row.uploadsBy,
  createdAt: row.createdAt.toISOString(),
});
