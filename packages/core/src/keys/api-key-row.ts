import type { Prisma } from "@querybell/db";
import { ApiKey } from "@querybell/domain";

/** The first characters of a key's text, by which its owner knows it again. */
export const keyStart = ({ prefix }: Pick<Prisma.ApiKeyModel, "prefix">): string => `qb_${prefix}`;

/** A key as people see it: everything but its secret. */
export const toApiKey = (row: Prisma.ApiKeyModel): ApiKey =>
  ApiKey.parse({
    ...row,
    start: keyStart(row),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  });
