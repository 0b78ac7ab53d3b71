/** Writes that no request waits for. */
export function createBackgroundWrites(onError: (error: unknown) => void) {
  const writing = new Set<Promise<void>>();
  return {
    add(write: Promise<unknown>): void {
      const written = write.then(() => undefined, onError);
      writing.add(written);
      void written.finally(() => writing.delete(written));
    },
    /** Waits until all of them are done. */
    async close(): Promise<void> {
      await Promise.all(writing);
    },
  };
}
