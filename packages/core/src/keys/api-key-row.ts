import type { Prisma } from "@querybell/db";
import { ApiKey } from "@querybell/domain";

/** A key as people see it: everything but its secret. */
export const toApiKey = (row: Prisma.ApiKeyModel): ApiKey =>
  ApiKey.parse({
    ...row,
    start: `qb_${row.prefix}`,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  });
