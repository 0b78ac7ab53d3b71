import { aFunction, checkOptions } from "./lib/check-options.ts";
import {
  type Claim,
  type DedupeRetention,
  type DedupeStore,
  retentionOf,
  retentionRules,
} from "./lib/dedupe.ts";

export interface MemoryDedupeOptions extends DedupeRetention {
  /** Milliseconds since the epoch. Default: `Date.now`. */
  clock?: () => number;
}

interface Entry {
  /** Undefined once the event is handled. */
  token: string | undefined;
  expiresAt: number;
}

/** Remembers handled events in memory. Only for a single process; a restart forgets them. */
export function memoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  checkOptions("memoryDedupe", options, { ...retentionRules, clock: aFunction });
  const { clock = Date.now } = options;
  const { keepSeconds, leaseSeconds } = retentionOf(options);
  const entries = new Map<string, Entry>();
  let tokens = 0;

  // A map iterates in the order of insertion, in which handled events expire. The sweep ends at the first
  // that has not.
  function sweep(now: number): void {
    for (const [id, { expiresAt }] of entries) {
      if (expiresAt > now) return;
      entries.delete(id);
    }
  }

  function set(id: string, token: string | undefined, seconds: number): void {
    entries.delete(id);
    entries.set(id, { token, expiresAt: clock() + seconds * 1000 });
  }

  return {
    renewEverySeconds: leaseSeconds / 3,
    async claim(id): Promise<Claim> {
      const now = clock();
      sweep(now);
      const entry = entries.get(id);
      if (entry && entry.expiresAt > now)
        return { kind: entry.token === undefined ? "duplicate" : "in_progress" };
      const token = String(++tokens);
      set(id, token, leaseSeconds);
      return { kind: "claimed", token };
    },
    async commit(id) {
      set(id, undefined, keepSeconds);
    },
    async release(id, token) {
      if (entries.get(id)?.token === token) entries.delete(id);
    },
    async renew(id, token) {
      if (entries.get(id)?.token === token) set(id, token, leaseSeconds);
    },
  };
}
