/** Who asks while an answer is on its way gets the same one: a scrape of several gauges reads the database once. */
export function shareAnswer<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let awaited: Promise<Answer> | undefined;
  return () => {
    awaited ??= ask().finally(() => {
      awaited = undefined;
    });
    return awaited;
  };
}
