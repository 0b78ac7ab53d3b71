interface RepeatOptions {
  everyMs: number;
  /** What goes wrong is told, and the next turn comes all the same. */
  onError: (error: unknown) => void;
}

/** Does something at once and then again and again, never twice at the same time. */
export function repeat(work: () => Promise<void>, { everyMs, onError }: RepeatOptions) {
  const turn = () => work().catch(onError);
  let working = turn();
  const timer = setInterval(() => {
    working = working.then(turn);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await working;
    },
  };
}
