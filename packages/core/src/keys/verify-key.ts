import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Database } from "@querybell/db";
import type { Caller, Clock, Role, Scope } from "@querybell/domain";
import { createBackgroundWrites } from "../background-writes.ts";
import { hashToken } from "../identity/secret-token.ts";
import { createTtlCache } from "../ttl-cache.ts";

interface KeyVerifierOptions {
  db: Database;
  clock: Clock;
  keyCache: KeyCache;
  onError: (error: unknown) => void;
}

export interface KeyVerifier {
  /** The caller of a key. Undefined if the key is unknown, revoked or expired. */
  verify(text: string): Promise<Caller | undefined>;
  /** The caller of an access token of a connected program. Undefined if the token or its grant is not valid any more. */
  verifyToken(text: string): Promise<Caller | undefined>;
  /** Waits until all pending writes have ended. */
  close(): Promise<void>;
}

const writeLastUseEveryMs = 60_000;

export function createKeyVerifier({ db, clock, keyCache, onError }: KeyVerifierOptions): KeyVerifier {
  const lastUses = createLastUses({ db, clock, onError });

  const toCaller = (stored: StoredKey): Caller | undefined => {
    if (stored.expiresAt && stored.expiresAt <= clock.now()) return undefined;
    lastUses.record(stored);
    const { id: keyId, organizationId, userId, role, scopes, isNarrowed } = stored;
    return { organizationId, userId, role, via: { kind: "key", keyId, scopes, isNarrowed } };
  };

  return {
    async verify(text) {
      const presented = parseKeyText(text);
      const stored = presented && (await keyCache.get(presented.prefix));
      if (!stored || !matchesHash(presented.secret, stored.secretHash)) return undefined;
      return toCaller(stored);
    },
    async verifyToken(text) {
      const stored = await keyCache.getByToken(Buffer.from(hashToken(text)).toString("hex"));
      return stored && toCaller(stored);
    },
    close: lastUses.close,
  };
}

/** Writes the time of a key's last use, at most once a minute for each key, without delaying the request. */
function createLastUses({ db, clock, onError }: Omit<KeyVerifierOptions, "keyCache">) {
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

interface StoredKey {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  scopes: Scope[];
  isNarrowed: boolean;
  secretHash: Uint8Array;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface KeyCache {
  /** The key with this prefix. Undefined if it is unknown or revoked. */
  get(prefix: string): Promise<StoredKey | undefined>;
  /** The grant of the access token with this hash, in hex. It expires with the token. */
  getByToken(tokenHash: string): Promise<StoredKey | undefined>;
  /**
   * Forgets the keys and grants of a user. Call it after the commit that revokes keys, removes a member or changes a
   * role: before the commit, another request would cache the old row again.
   */
  forgetKeysOf(user: { userId: string }): void;
}

// A revoked key, a changed role or a removed member takes effect at once in the process that made the change, and in
// every other process within this time.
const cacheTtlMs = 5_000;

/** The keys that this process has read in the last five seconds. */
export function createKeyCache({ db, clock }: { db: Database; clock: Clock }): KeyCache {
  const options = { clock, lifetimeMs: cacheTtlMs, maxEntries: 10_000 };
  const keys = createTtlCache({ ...options, load: (prefix) => findKey(db, prefix) });
  const grants = createTtlCache({ ...options, load: (tokenHash) => findGrant(db, tokenHash) });
  return {
    get: keys.get,
    getByToken: grants.get,
    forgetKeysOf: ({ userId }) => {
      for (const cache of [keys, grants]) cache.deleteWhere((key) => key?.userId === userId);
    },
  };
}

async function findKey(db: Database, prefix: string): Promise<StoredKey | undefined> {
  const { rows } = await db.pool.query<StoredKey>({
    name: "find_key",
    text: `
      SELECT k.id, k.organization_id AS "organizationId", k.user_id AS "userId", m.role, k.scopes,
             k.narrows_databases OR k.narrows_folders AS "isNarrowed", k.secret_hash AS "secretHash", k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt"
      FROM api_keys k JOIN members m USING (organization_id, user_id)
      WHERE k.prefix = $1 AND k.client_id IS NULL AND k.revoked_at IS NULL`,
    values: [prefix],
  });
  return rows[0];
}

async function findGrant(db: Database, tokenHash: string): Promise<StoredKey | undefined> {
  const { rows } = await db.pool.query<StoredKey>({
    name: "find_grant",
    text: `
      SELECT k.id, k.organization_id AS "organizationId", k.user_id AS "userId", m.role, k.scopes, false AS "isNarrowed",
             k.secret_hash AS "secretHash", least(t.expires_at, k.expires_at) AS "expiresAt", k.last_used_at AS "lastUsedAt"
      FROM oauth_tokens t JOIN api_keys k ON k.id = t.grant_id JOIN members m ON (m.organization_id, m.user_id) = (k.organization_id, k.user_id)
      WHERE t.token_hash = decode($1, 'hex') AND t.kind = 'access' AND k.revoked_at IS NULL`,
    values: [tokenHash],
  });
  return rows[0];
}

const keyText = /^qb_([0-9a-z]{12})_([A-Za-z0-9_-]{43})$/;

/** `qb_<prefix>_<secret>`. The prefix identifies the key and is not secret. The secret is stored as a hash. */
export function newKeyText() {
  const prefix = randomBytes(8).readBigUInt64BE().toString(36).padStart(12, "0").slice(-12);
  const secret = randomBytes(32).toString("base64url");
  return { text: `qb_${prefix}_${secret}`, prefix, secretHash: hashToken(secret) };
}

export function parseKeyText(text: string): { prefix: string; secret: string } | undefined {
  const [, prefix, secret] = keyText.exec(text) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
}

export const matchesHash = (secret: string, secretHash: Uint8Array): boolean =>
  timingSafeEqual(hashToken(secret), secretHash);
