import type { PageStore } from "./page-store.ts";

const flushEveryMs = 5_000;
/** More pages than this are opened in five seconds only by somebody who knows as many tokens. */
const maxPages = 10_000;

/** Counts views, and writes them in batches. What was counted last is lost if the process is killed. */
export function createViewCounter(store: Pick<PageStore, "addViews">, onError: (error: unknown) => void) {
  let counted = new Map<string, number>();
  const flush = async (): Promise<void> => {
    if (counted.size === 0) return;
    const written = counted;
    counted = new Map();
    try {
      await store.addViews(
        [...written].map(([hex, count]) => ({ tokenHash: Buffer.from(hex, "hex"), count })),
      );
    } catch (error) {
      onError(error);
      for (const [hex, count] of written) counted.set(hex, (counted.get(hex) ?? 0) + count);
    }
  };
  const timer = setInterval(() => void flush(), flushEveryMs).unref();
  return {
    add(tokenHash: string): void {
      if (counted.has(tokenHash) || counted.size < maxPages)
        counted.set(tokenHash, (counted.get(tokenHash) ?? 0) + 1);
    },
    flush,
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
