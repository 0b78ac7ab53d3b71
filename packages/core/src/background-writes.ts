/** Tracks writes that no request waits for, so that shutdown can wait for them. */
export function createBackgroundWrites(onError: (error: unknown) => void) {
  const writing = new Set<Promise<void>>();
  return {
    add(write: Promise<unknown>): void {
      const written = write.then(() => undefined, onError);
      writing.add(written);
      void written.finally(() => writing.delete(written));
    },
    /** Waits until all writes have ended. */
    async close(): Promise<void> {
      await Promise.all(writing);
    },
  };
}
