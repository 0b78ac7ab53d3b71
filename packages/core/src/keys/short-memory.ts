import type { Clock } from "@querybell/domain";

interface ShortMemoryOptions<T> {
  clock: Clock;
  lifetimeMs: number;
  maxEntries: number;
  load: (key: string) => Promise<T>;
}

/**
 * Remembers what `load` answered for a short while. The time counts from the start of the load, so nothing
 * that was true longer ago than `lifetimeMs` is ever given out. Callers at the same moment share one load.
 */
export function createShortMemory<T>({ clock, lifetimeMs, maxEntries, load }: ShortMemoryOptions<T>) {
  const entries = new Map<string, { value: Promise<T>; until: number }>();

  return {
    get(key: string): Promise<T> {
      const now = clock.now().getTime();
      const known = entries.get(key);
      if (known && now < known.until) return known.value;
      entries.delete(key);
      // A map lists its keys in the order in which they were put: the first is the oldest.
      for (const oldest of entries.keys()) {
        if (entries.size < maxEntries) break;
        entries.delete(oldest);
      }
      const entry = { value: load(key), until: now + lifetimeMs };
      entries.set(key, entry);
      entry.value.catch(() => entries.get(key) === entry && entries.delete(key));
      return entry.value;
    },
  };
}
