interface RepeatOptions {
  everyMs: number;
  /** Called when the work fails. The next repetition happens anyway. */
  onError: (error: unknown) => void;
}

/** Does the work now, and then again at an interval. Executions never overlap. */
export function repeat(work: () => Promise<void>, { everyMs, onError }: RepeatOptions) {
  const workOnce = () => work().catch(onError);
  let working = workOnce();
  const timer = setInterval(() => {
    working = working.then(workOnce);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await working;
    },
  };
}
