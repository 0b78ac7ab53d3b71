/** Concurrent calls share one execution, so a scrape of several gauges reads the database once. */
export function singleFlight<Result>(execute: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | undefined;
  return () => {
    inFlight ??= execute().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
}
