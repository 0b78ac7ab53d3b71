import type { Prisma } from "@querybell/db";
import { ApiKey } from "@querybell/domain";

/** The first characters of a key, by which its owner recognizes it. */
export const keyStart = ({ prefix }: Pick<Prisma.ApiKeyModel, "prefix">): string => `qb_${prefix}`;

/** A key without its secret. */
export const toApiKey = (row: Prisma.ApiKeyModel): ApiKey =>
  ApiKey.parse({
    ...row,
    start: keyStart(row),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  });
