import type { Clock } from "@querybell/domain";

interface TtlCacheOptions<T> {
  clock: Clock;
  lifetimeMs: number;
  maxEntries: number;
  load: (key: string) => Promise<T>;
}

interface Entry<T> {
  value: Promise<T>;
  /** Set once the load has ended. */
  loaded?: { value: T };
  until: number;
}

/**
 * A cache with a time to live and a size limit. The time counts from the start of the load, so a value is never
 * older than `lifetimeMs`. Concurrent callers of one key share one load. Failed loads are not cached.
 */
export function createTtlCache<T>({ clock, lifetimeMs, maxEntries, load }: TtlCacheOptions<T>) {
  const entries = new Map<string, Entry<T>>();

  return {
    get(key: string): Promise<T> {
      const now = clock.now().getTime();
      const known = entries.get(key);
      if (known && now < known.until) return known.value;
      entries.delete(key);
      // A Map keeps insertion order: the first key is the oldest.
      for (const oldest of entries.keys()) {
        if (entries.size < maxEntries) break;
        entries.delete(oldest);
      }
      const entry: Entry<T> = { value: load(key), until: now + lifetimeMs };
      entries.set(key, entry);
      entry.value.then(
        (value) => {
          entry.loaded = { value };
        },
        () => entries.get(key) === entry && entries.delete(key),
      );
      return entry.value;
    },
    /** Also deletes what is still being loaded: it may be older than the change that the caller has made. */
    deleteWhere(matches: (value: T) => boolean): void {
      for (const [key, { loaded }] of entries) if (!loaded || matches(loaded.value)) entries.delete(key);
    },
  };
}
