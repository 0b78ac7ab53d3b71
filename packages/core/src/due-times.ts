/**
 * Does what is due, each item once. `find` gets the ids of those that were tried, and finds others. An error of one does not
 * keep the others from being done: errors are thrown at the end.
 */
export async function doWhatIsDue<Due extends { id: string }>(
  find: (tried: readonly string[]) => Promise<Due[]>,
  execute: (due: Due) => Promise<void>,
): Promise<void> {
  const tried: string[] = [];
  const errors: unknown[] = [];
  for (let due = await find(tried); due.length > 0; due = await find(tried)) {
    for (const one of due) {
      tried.push(one.id);
      try {
        await execute(one);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "Some schedules could not be expanded.");
}
