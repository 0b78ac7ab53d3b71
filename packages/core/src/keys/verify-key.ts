import type { Database } from "@querybell/db";
import type { Caller, Clock, Role, Scope } from "@querybell/domain";
import { createBackgroundWrites } from "../background-writes.ts";
import { createTtlCache } from "../ttl-cache.ts";
import { matchesHash, parseKeyText } from "./key-text.ts";

interface StoredKey {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  scopes: Scope[];
  secretHash: Uint8Array;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

interface KeyVerifierOptions {
  db: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}

export interface KeyVerifier {
  /** The caller of a key. Undefined if the key is unknown, revoked or expired. */
  verify(text: string): Promise<Caller | undefined>;
  /** Waits until all pending writes have ended. */
  close(): Promise<void>;
}

// A revoked key, a changed role or a removed member takes effect in every process within this time.
const cacheTtlMs = 5_000;
const writeLastUseEveryMs = 60_000;

export function createKeyVerifier({ db, clock, onError }: KeyVerifierOptions): KeyVerifier {
  const storedKeys = createTtlCache({
    clock,
    lifetimeMs: cacheTtlMs,
    maxEntries: 10_000,
    load: (prefix) => findKey(db, prefix),
  });
  const lastUses = createLastUses({ db, clock, onError });

  return {
    async verify(text) {
      const presented = parseKeyText(text);
      const stored = presented && (await storedKeys.get(presented.prefix));
      if (!stored || !matchesHash(presented.secret, stored.secretHash)) return undefined;
      if (stored.expiresAt && stored.expiresAt <= clock.now()) return undefined;
      lastUses.record(stored);
      const { id: keyId, organizationId, userId, role, scopes } = stored;
      return { organizationId, userId, role, via: { kind: "key", keyId, scopes } };
    },
    close: lastUses.close,
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

/** Writes the time of a key's last use, at most once a minute for each key, without delaying the request. */
function createLastUses({ db, clock, onError }: KeyVerifierOptions) {
  const writes = createBackgroundWrites(onError);

  const write = async (id: string, now: Date) => {
    await db.pool.query({
      name: "write_last_use",
      text: `
        UPDATE api_keys SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2::timestamptz - interval '1 minute')`,
      values: [id, now],
    });
  };

  return {
    record(stored: StoredKey) {
      const now = clock.now();
      if (stored.lastUsedAt && now.getTime() - stored.lastUsedAt.getTime() < writeLastUseEveryMs) return;
      // Updates the cached row too, so that the next request does not write again.
      stored.lastUsedAt = now;
      writes.add(write(stored.id, now));
    },
    close: writes.close,
  };
}
