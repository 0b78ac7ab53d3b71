/** Runs tasks one at a time, in the order in which they were submitted. */
type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const running = last.then(task, task);
    last = running.catch(() => {});
    return running;
  };
}
