import type { Prisma } from "@querybell/db";
import { OrganizationSettings } from "@querybell/domain";

export const toSettings = (row: Prisma.OrganizationModel): OrganizationSettings =>
  OrganizationSettings.parse({ ...row, createdAt: row.createdAt.toISOString() });
