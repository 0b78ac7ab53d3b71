import type { Database } from "@querybell/db";
import type { Clock, Role, Scope } from "@querybell/domain";
import { createTtlCache } from "../ttl-cache.ts";

export interface StoredKey {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  scopes: Scope[];
  secretHash: Uint8Array;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface KeyCache {
  /** The key with this prefix. Undefined if it is unknown or revoked. */
  get(prefix: string): Promise<StoredKey | undefined>;
  /**
   * Forgets the keys of a user. Whoever revokes keys, removes a member or changes a role calls it after the commit:
   * before it, another request would cache the old row again.
   */
  forgetKeysOf(user: { userId: string }): void;
}

// A revoked key, a changed role or a removed member takes effect at once in the process that made the change, and in
// every other process within this time.
const cacheTtlMs = 5_000;

/** The keys that this process has read in the last five seconds. */
export function createKeyCache({ db, clock }: { db: Database; clock: Clock }): KeyCache {
  const keys = createTtlCache({
    clock,
    lifetimeMs: cacheTtlMs,
    maxEntries: 10_000,
    load: (prefix) => findKey(db, prefix),
  });
  return {
    get: keys.get,
    forgetKeysOf: ({ userId }) => keys.deleteWhere((key) => key?.userId === userId),
  };
}

async function findKey(db: Database, prefix: string): Promise<StoredKey | undefined> {
  const { rows } = await db.pool.query<StoredKey>({
    name: "find_key",
    text: `
      SELECT k.id, k.organization_id AS "organizationId", k.user_id AS "userId", m.role, k.scopes,
             k.secret_hash AS "secretHash", k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt"
      FROM api_keys k JOIN members m USING (organization_id, user_id)
      WHERE k.prefix = $1 AND k.revoked_at IS NULL`,
    values: [prefix],
  });
  return rows[0];
}
