import type { Database } from "@querybell/db";
import type { Caller, Clock } from "@querybell/domain";
import { createBackgroundWrites } from "../background-writes.ts";
import type { KeyCache, StoredKey } from "./key-cache.ts";
import { matchesHash, parseKeyText } from "./key-text.ts";

interface KeyVerifierOptions {
  db: Database;
  clock: Clock;
  keyCache: KeyCache;
  onError: (error: unknown) => void;
}

export interface KeyVerifier {
  /** The caller of a key. Undefined if the key is unknown, revoked or expired. */
  verify(text: string): Promise<Caller | undefined>;
  /** Waits until all pending writes have ended. */
  close(): Promise<void>;
}

const writeLastUseEveryMs = 60_000;

export function createKeyVerifier({ db, clock, keyCache, onError }: KeyVerifierOptions): KeyVerifier {
  const lastUses = createLastUses({ db, clock, onError });

  return {
    async verify(text) {
      const presented = parseKeyText(text);
      const stored = presented && (await keyCache.get(presented.prefix));
      if (!stored || !matchesHash(presented.secret, stored.secretHash)) return undefined;
      if (stored.expiresAt && stored.expiresAt <= clock.now()) return undefined;
      lastUses.record(stored);
      const { id: keyId, organizationId, userId, role, scopes } = stored;
      return { organizationId, userId, role, via: { kind: "key", keyId, scopes } };
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
