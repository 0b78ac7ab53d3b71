import type { Database } from "@querybell/db";

/** Resolves after this many changes of automation runs, in any process. */
export function waitForChanges({ notices }: Pick<Database, "notices">, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  const unsubscribe = notices.subscribe("querybell_automation_run_changed", (id) => {
    if (id === undefined || --left > 0) return;
    unsubscribe();
    resolve();
  });
  return promise;
}
