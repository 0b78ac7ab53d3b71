/** Keeps values of known size, and forgets those that were used least recently. Loads each once at a time. */
export function createByteCache<Value>({
  maxBytes,
  sizeOf,
}: {
  maxBytes: number;
  sizeOf: (value: Value) => number;
}) {
  const values = new Map<string, Value>();
  const loading = new Map<string, Promise<Value | undefined>>();
  let bytes = 0;
  const keep = (key: string, value: Value): void => {
    values.set(key, value);
    bytes += sizeOf(value);
    for (const [oldest, old] of values) {
      if (bytes <= maxBytes || oldest === key) break;
      values.delete(oldest);
      bytes -= sizeOf(old);
    }
  };
  return {
    async get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
      const known = values.get(key);
      if (known !== undefined) {
        values.delete(key);
        values.set(key, known);
        return known;
      }
      const begun = loading.get(key);
      if (begun) return begun;
      const promise = load().finally(() => loading.delete(key));
      loading.set(key, promise);
      const value = await promise;
      if (value !== undefined && !values.has(key)) keep(key, value);
      return value;
    },
  };
}

interface Entry<Value> {
  value: Promise<Value>;
  /** A reading of `performance.now()`. */
  until: number;
}

/** Keeps values for a short time, so that many requests for one need one statement. */
export function createShortCache<Value>({
  lifetimeMs,
  maxEntries,
}: {
  lifetimeMs: number;
  maxEntries: number;
}) {
  const entries = new Map<string, Entry<Value>>();
  return {
    get(key: string, load: () => Promise<Value>): Promise<Value> {
      const now = performance.now();
      const known = entries.get(key);
      if (known && known.until > now) return known.value;
      entries.delete(key);
      if (entries.size >= maxEntries) {
        const [oldest] = entries.keys();
        if (oldest !== undefined) entries.delete(oldest);
      }
      // The time counts from before the statement: what it reads may have changed right after.
      const entry = { value: load(), until: now + lifetimeMs };
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
  };
}
