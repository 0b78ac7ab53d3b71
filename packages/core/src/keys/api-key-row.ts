import type { Prisma } from "@querybell/db";
import { type ApiKey, Scope } from "@querybell/domain";

/** The first characters of a key, by which its owner recognizes it. */
export const keyStart = ({ prefix }: Pick<Prisma.ApiKeyModel, "prefix">): string => `qb_${prefix}`;

/** A key without its secret. */
export const toApiKey = (row: Prisma.ApiKeyModel): ApiKey => ({
  id: row.id,
  name: row.name,
  start: keyStart(row),
  userId: row.userId,
  scopes: Scope.array().parse(row.scopes),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});
